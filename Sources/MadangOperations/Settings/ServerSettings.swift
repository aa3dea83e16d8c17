import Foundation
import MadangAPI
import MadangCore
import MadangProviders
import Storage

/// All settings of a server. Defaults suit a private instance; ``isDevelopment`` allows what is safe only locally. The
/// domain's settings are included by feature: `settings.audit.days`.
@dynamicMemberLookup
public struct ServerSettings: Sendable {
  public var host = setting(
    "host", "127.0.0.1", .host,
    "address to listen on, or unix:/PATH for a Unix socket, whose only client is a trusted proxy of this machine")
  public var socketMode = setting(
    "host.mode", 0o660, .mode, "permissions of the Unix socket: with 660 its user and group may connect")
  public var port = setting("port", 8080, .integer(0...65535), "port to listen on, 0 for a free one")
  /// Unused without TLS, for example behind a proxy with TLS.
  public var tls = TLSSettings()
  /// Proxies keep idle connections for 60 s, some for 120 s: a request that is sent just when the server closes is lost.
  public var idleSeconds = setting(
    "http.idle", 125, .seconds(5...86_400),
    "seconds until an idle connection is closed; must be longer than the idle timeout of a proxy in front"
  )
  /// Sockets have ``SocketSettings/origins``.
  public var origins: [String] = setting(
    "http.origins", [], .origins,
    "origins of other websites whose pages may call the API, without cookies: https://app.example.com,...; in development mode "
      + "also those of this machine")
  /// Their `Forwarded` and `X-Forwarded-Proto` are trusted, too.
  public var trustedProxies: [IPNetwork] = setting(
    "trusted.proxies", [], .networks, "proxies whose X-Forwarded-For is trusted: 10.0.0.1,172.20.0.0/16")
  /// Whether a call from a loopback address comes from a program of this machine, which may read `/metrics` and identifies
  /// its account in `recent`. Nil: in development mode only, because this machine may have an unknown proxy.
  public var loopbackIsClient: Bool? = setting(
    "loopback.clients", nil, .flagOrNone,
    "true: no proxy runs on this machine, so loopback addresses are clients; false: one may; empty: true in development "
      + "mode only")
  /// The listener of `/metrics`, `/readyz` with its reasons, and `/_dev`, instead of the API's; any client that reaches it
  /// counts as an operator.
  public var operations: (host: String, port: Int)? = setting(
    "operations", nil, .address, "HOST:PORT of a separate listener for /metrics, /readyz and /_dev; empty for none")
  public var takesProxyHeaders = setting(
    "http.proxy.protocol", false, .flag,
    "whether trusted.proxies, or the proxy of a Unix socket, begin each connection with a PROXY header (version 1 or 2), as "
      + "proxies do that pass on TCP")
  public var metricsArePublic = setting(
    "metrics.public", false, .flag, "whether other machines may read GET /metrics")
  /// Has `madang.sqlite`, `files/` and `secrets/`.
  public var dataDirectory = section(
    "The database",
    setting(
      "data", URL(filePath: "madang-data", directoryHint: .isDirectory), .directory,
      "directory of database, files and API keys"))
  public var database = section("The database", DatabaseSettings())
  /// Development calls, explanations and, on a loopback address, development keys. Refused on another address without
  /// ``developmentToken``.
  public var isDevelopment = section("Development mode", setting("dev", false, .flag, "development mode"))
  /// Empty: only programs of this machine may make development calls.
  public var developmentToken = section(
    "Development mode",
    setting(
      "dev.token", "", .text,
      "token that development calls from other machines must send; empty with --lan for a random one", .secret))
  /// The minimum length of such a token in bytes, so that it cannot be guessed.
  public static let minDevelopmentToken = 16
  /// The minimum length of a key that signs access tokens: the size of a SHA-256.
  static let tokenKeyMinimum = 32
  /// The earliest plausible time: this program is newer.
  static let earliestTime: Int64 = 1_735_689_600_000
  /// API keys and their editions. Empty: the first server of a database creates them under `secrets/`. Keys created by
  /// administrators are valid, too.
  public var keys: [String: EditionName] = section(
    "Editions",
    setting(
      "keys", [:], .keys,
      "further API keys, which 'madang admin keys' neither lists nor revokes: KEY=2024-10,KEY=2024-01",
      .secret
    ))
  /// Nil for all; keys of other editions are then unknown.
  public var edition: EditionName? = section(
    "Editions", setting("edition", nil, .edition, "the only edition to serve, 2024-10 or 2024-01; empty for both"))
  /// By the name of a zone without daylight saving. The default is the edition's own zone (wire contract, Dates).
  public var timeZones: [EditionName: String] = section(
    "Editions",
    setting(
      "timezones", [:], .timeZones, "time zone of the dates of an edition: 2024-01=Asia/Seoul,2024-10=UTC"))
  public var sockets = section("Sockets", SocketSettings())
  public var callLimits = section("Limits", CallLimitSettings())
  public var limits = section("Limits", LimitSettings())
  public var body = section("Limits", BodyLimits())
  package var domain = Settings()
  public var hashingThreads = section(
    "Accounts",
    setting(
      "password.threads", 0, .integer(0...64),
      "threads that hash passwords; 0 for one fewer than processors, from one to three"))
  public var passwordResetsPerAddress = section(
    "Accounts",
    setting(
      "password.resets.address", 30, .integer(),
      "mails with links that one network address may request in an hour, on pages or by signing up; 0 for any number"))
  public var auditSinks = section("Accounts", AuditSinkSettings())
  public var tokenKey = section(
    "Accounts",
    setting(
      "tokens.key", "", .text,
      "key that signs access tokens, the same on all servers of a database; empty to keep the key in the database",
      .secret))
  public var filesHome = section(
    "Files",
    setting(
      "files.home", "", .text,
      "bucket for files, s3://bucket or s3://bucket/prefix; empty for the data directory"))
  public var s3 = section("Files", S3Settings())
  public var providers = section("Push, payments and sign-in providers", ProviderSettings())
  public var push = section("Push, payments and sign-in providers", PushSettings())
  public var mail = section("Mail", MailSettings())
  public var alarmWatch = section("Alarms", AlarmWatchSettings())
  public var web = section("Pages", WebSettings())

  /// The version of the program, for metrics.
  public var version = "unknown"
  /// Settings that differ from their defaults, by name, without secrets: the audit log records changes.
  public var given: [String: String] = [:]
  /// The files that they come from, for the doctor.
  public var sources = SettingsSources()
  /// All settings with their sources, for administrators.
  package var listed: [Setting] = []
  /// How long a shutdown waits for log lines and forwarded audit entries.
  package var logPatience: Duration = .seconds(1)
  /// How long a shutdown waits for requests in progress.
  public var shutdownTimeout: Duration = .seconds(8)
  /// How often the server does housekeeping, such as removing files without a row and old addresses. Files are removed for
  /// the first time one interval after the start.
  public var housekeepingInterval: Duration = .seconds(3600)
  /// How often a server tries to become the one that does housekeeping for all.
  public var housekeepingTurn: Duration = .seconds(5)
  /// PostgreSQL: how long chats of a deleted room or workspace are kept, so that other servers can deliver the last ones to
  /// their sockets.
  public var deletionGrace: Duration = .seconds(10)

  public init() {}

  /// The settings of the domain.
  public subscript<Value>(dynamicMember path: WritableKeyPath<Settings, Value>) -> Value {
    get { domain[keyPath: path] }
    set { domain[keyPath: path] = newValue }
  }

  /// All problems of the settings, each with a cure; empty without problems.
  public func problems() -> [String] {
    var problems: [String] = []
    if isDevelopment && !isLoopback(host) && developmentToken.isEmpty {
      problems.append(
        "--dev: development mode is unsafe on \(host); use a loopback address (--host 127.0.0.1), or --lan, so that "
          + "development calls from other machines need a token")
    }
    if !developmentToken.isEmpty
      && (developmentToken.utf8.count < Self.minDevelopmentToken || !developmentToken.utf8.allSatisfy(isUnreserved))
    {
      problems.append(
        "dev.token: must have \(Self.minDevelopmentToken) characters or more, all of them letters, digits, - or _; leave it "
          + "out for a random one")
    }
    if isDevelopment && !domain.node.isEmpty {
      problems.append(
        "--dev: development mode needs a single server, because clock, payments, tokens and notifications are in its memory; leave "
          + "out --node")
    }
    problems += socketProblems()
    if takesProxyHeaders, trustedProxies.isEmpty, socketPath == nil {
      problems.append("http.proxy.protocol: is for connections of trusted.proxies; name the proxy there")
    }
    if !(0...65535).contains(port) { problems.append("--port: \(port) is not a port; use 0 to 65535") }
    problems += tls.problems(besides: port)
    if let url = database.url, !url.hasPrefix("postgres://"), !url.hasPrefix("postgresql://") {
      problems.append("--database-url: must begin with postgres://; leave it out for the embedded database")
    }
    if !domain.node.isEmpty, database.url == nil {
      problems.append(
        "--node: several servers need PostgreSQL (--database-url); the embedded database serves one server, without a name"
      )
    }
    if !domain.node.isEmpty, !isNode(domain.node) {
      problems.append("--node: '\(domain.node)' must be 1 to 16 ASCII letters, digits, '-' or '_'")
    }
    if !tokenKey.isEmpty, tokenKey.utf8.count < Self.tokenKeyMinimum || tokenKey.hasNUL {
      problems.append(
        "tokens.key: must have \(Self.tokenKeyMinimum) characters or more, best from 'openssl rand -hex 32'; leave it out "
          + "to keep the key in the database")
    }
    problems += filesProblems()
    if !(1...30).contains(domain.workspaces.channelName.count) {
      problems.append("channel.default: '\(domain.workspaces.channelName)' must have 1 to 30 characters")
    }
    problems += registrationProblems()
    problems += webProblems()
    if !(1...30).contains(domain.accounts.deletedName.count) {
      problems.append("accounts.deleted.name: '\(domain.accounts.deletedName)' must have 1 to 30 characters")
    }
    for (key, text) in [
      ("moderation.text", domain.retention.removedChatText),
      ("retention.files.text", domain.retention.expiredFilesText),
    ]
    where !(1...200).contains(text.count) || text.allSatisfy(\.isWhitespace) {
      problems.append("\(key): '\(text)' must have 1 to 200 characters; apps show it")
    }
    problems += mail.problems(publicURL: domain.publicURL)
    problems += alarmProblems()
    problems += providers.problems(deletesWithProvider: domain.accounts.deletedWithProvider)
    for edition in EditionName.allCases where offset(of: edition) == nil {
      problems.append(
        "timezones: '\(timeZone(of: edition))' is not a time zone without daylight saving; use one like Asia/Seoul or UTC"
      )
    }
    return problems
  }

  /// The name of the zone of an edition's dates.
  public func timeZone(of edition: EditionName) -> String { timeZones[edition] ?? edition.ownTimeZone }

  /// The zone's offset in milliseconds east of UTC; nil if the zone is unknown or has daylight saving.
  package func offset(of edition: EditionName) -> Int64? {
    // By a recent time, because Seoul once had summer time.
    let moment = max(.now, Date(timeIntervalSince1970: TimeInterval(Self.earliestTime / 1000)))
    guard let zone = TimeZone(identifier: timeZone(of: edition)),
      zone.nextDaylightSavingTimeTransition(after: moment) == nil
    else { return nil }
    return Int64(zone.secondsFromGMT(for: moment)) * 1000
  }
}

/// Whether this can be the name of one of several servers: ids of its sessions begin with it.
private func isNode(_ name: String) -> Bool {
  (1...16).contains(name.utf8.count) && name.utf8.allSatisfy(isUnreserved)
}

/// Whether a path may have this byte unescaped.
private func isUnreserved(_ byte: UInt8) -> Bool {
  switch byte {
  case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
    UInt8(ascii: "0")...UInt8(ascii: "9"),
    UInt8(ascii: "-"), UInt8(ascii: "_"):
    true
  default: false
  }
}
