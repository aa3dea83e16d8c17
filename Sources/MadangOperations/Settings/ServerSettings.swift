import Foundation
import MadangAPI
import MadangCore
import MadangProviders
import Storage

/// All settings of a server. Defaults serve a private instance; ``isDevelopment`` changes what is safe only locally. Those of the domain
/// are among them, by feature: `settings.audit.days`.
@dynamicMemberLookup
public struct ServerSettings: Sendable {
  public var host = setting("host", "127.0.0.1", .host, "address to listen on")
  public var port = setting("port", 8080, .integer(0...65535), "port to listen on, 0 for a free one")
  /// Unused for plain HTTP, as behind a proxy that speaks TLS.
  public var tls = TLSSettings()
  /// Proxies keep their idle connections 60 s mostly, and 120 s at most: one that sends a request just when the server closes loses it.
  public var idleSeconds = setting(
    "http.idle", 125, .integer(5...86_400),
    "seconds after which a connection that is idle between requests is closed; must be longer than a proxy in front keeps it"
  )
  /// Their `Forwarded` and `X-Forwarded-Proto` are believed as well.
  public var trustedProxies: [IPNetwork] = setting(
    "trusted.proxies", [], .networks, "proxies whose X-Forwarded-For is believed: 10.0.0.1,172.20.0.0/16")
  /// Whether a call from a loopback address is from a program of this machine, which may read `/metrics` and stands for its account in
  /// `recent`. Nil: in development mode only, as a proxy of this machine may be there that nothing is known of.
  public var loopbackIsClient: Bool? = setting(
    "loopback.clients", nil, .flagOrNone,
    "true: no proxy runs on this machine, so loopback addresses are clients; false: one may; empty: true in development "
      + "mode only")
  /// Where `/metrics`, `/readyz` with its reasons and `/_dev` are served instead of beside the API; whoever reaches it is
  /// taken for an operator.
  public var operations: (host: String, port: Int)? = setting(
    "operations", nil, .address, "HOST:PORT of a listener of its own for /metrics, /readyz and /_dev; empty for none")
  public var metricsArePublic = setting(
    "metrics.public", false, .flag, "whether GET /metrics answers other machines")
  /// Holds `madang.sqlite`, `files/` and `secrets/`.
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
      "what development calls from other machines show; empty with --lan for a random one", .secret))
  /// The least that such a token has, in bytes: it cannot be guessed then.
  public static let minDevelopmentToken = 16
  /// Characters of a key that signs access tokens: SHA-256 wants as many bytes as it makes.
  static let tokenKeyMinimum = 32
  /// The oldest time that a server takes for right: this program is younger.
  static let earliestTime: Int64 = 1_735_689_600_000
  /// API keys and the edition each belongs to. Empty: the first server of a database makes them and keeps them under
  /// `secrets/`. Keys made by an administrator count besides.
  public var keys: [String: EditionName] = section(
    "Editions",
    setting(
      "keys", [:], .keys, "API keys that 'madang admin keys' neither lists nor revokes: KEY=2024-10,KEY=2024-01",
      .secret
    ))
  /// Nil for all; keys of another edition are unknown then.
  public var edition: EditionName? = section(
    "Editions", setting("edition", nil, .edition, "the only edition to speak, 2024-10 or 2024-01; empty for both"))
  /// By the name of a zone without daylight saving. What is left out shows its edition's own (wire contract, Dates).
  public var timeZones: [EditionName: String] = section(
    "Editions",
    setting(
      "timezones", [:], .timeZones, "whose wall clock an edition's dates show: 2024-01=Asia/Seoul,2024-10=UTC"))
  public var sockets = section("Sockets", SocketSettings())
  public var callLimits = section("Limits", CallLimitSettings())
  public var limits = section("Limits", LimitSettings())
  public var body = section("Limits", BodyLimits())
  package var domain = Settings()
  public var hashingThreads = section(
    "Accounts",
    setting(
      "password.threads", 0, .integer(0...64),
      "threads that hash passwords; 0 for one less than there are processors, from one to three"))
  public var passwordResetsPerAddress = section(
    "Accounts",
    setting(
      "password.resets.address", 30, .integer(),
      "links one network address may cause in an hour, on pages and by signing up; 0 for any number"))
  public var auditSinks = section("Accounts", AuditSinkSettings())
  public var tokenKey = section(
    "Accounts",
    setting(
      "tokens.key", "", .text,
      "signs access tokens, the same on all servers of a database; empty for one that the database keeps", .secret))
  public var filesHome = section(
    "Files",
    setting(
      "files.home", "", .text,
      "bucket for files, s3://bucket or s3://bucket/prefix; empty for the data directory"))
  public var s3 = section("Files", S3Settings())
  public var providers = section("Push, payments and sign-in by others", ProviderSettings())
  public var push = section("Push, payments and sign-in by others", PushSettings())
  public var mail = section("Mail", MailSettings())
  public var alarmWatch = section("Alarms", AlarmWatchSettings())

  /// Which program serves, for metrics.
  public var version = "unknown"
  /// Settings that are not left at their defaults, by name, secrets hidden: the audit log tells when they change.
  public var given: [String: String] = [:]
  /// How long a stop waits for lines of the log, and for audit entries that are sent elsewhere.
  package var logPatience: Duration = .seconds(1)
  /// How long a stop waits for what is in flight.
  public var shutdownTimeout: Duration = .seconds(8)
  /// How often the server tidies up: files without a row, old addresses. Files wait for the end of the first interval.
  public var housekeepingInterval: Duration = .seconds(3600)
  /// How often a server asks whether it is the one that tidies up for all of its database.
  public var housekeepingTurn: Duration = .seconds(5)
  /// PostgreSQL: how long chats of a deleted room or workspace stay, for sockets at other servers that lack the last of them.
  public var deletionGrace: Duration = .seconds(10)

  public init() {}

  /// The settings of the domain.
  public subscript<Value>(dynamicMember path: WritableKeyPath<Settings, Value>) -> Value {
    get { domain[keyPath: path] }
    set { domain[keyPath: path] = newValue }
  }

  /// All that is wrong with the settings, each with a cure; empty if nothing is.
  public func problems() -> [String] {
    var problems: [String] = []
    if isDevelopment && !isLoopback(host) && developmentToken.isEmpty {
      problems.append(
        "--dev: development mode is unsafe on \(host); use a loopback address (--host 127.0.0.1), or --lan, with which "
          + "development calls from other machines show a token")
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
        "--dev: development mode is for one server, whose clock, payments, tokens and notifications are in its memory; leave "
          + "out --node")
    }
    if !(0...65535).contains(port) { problems.append("--port: \(port) is no port; use 0 to 65535") }
    problems += tls.problems(besides: port)
    if let url = database.url, !url.hasPrefix("postgres://"), !url.hasPrefix("postgresql://") {
      problems.append("--database-url: must begin with postgres://; leave it out for the embedded database")
    }
    if !domain.node.isEmpty, database.url == nil {
      problems.append(
        "--node: several servers need PostgreSQL (--database-url); the embedded database is for one, without a name")
    }
    if !domain.node.isEmpty, !isNode(domain.node) {
      problems.append("--node: '\(domain.node)' must have 1 to 16 letters, digits, '-' or '_' of ASCII")
    }
    if !tokenKey.isEmpty, tokenKey.utf8.count < Self.tokenKeyMinimum || tokenKey.hasNUL {
      problems.append(
        "tokens.key: must have \(Self.tokenKeyMinimum) characters or more, best from 'openssl rand -hex 32'; leave it out "
          + "for a key that the database keeps")
    }
    problems += filesProblems()
    if !(1...30).contains(domain.workspaces.channelName.count) {
      problems.append("channel.default: '\(domain.workspaces.channelName)' must have 1 to 30 characters")
    }
    problems += registrationProblems()
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
        "timezones: '\(timeZone(of: edition))' is no time zone without daylight saving; use one like Asia/Seoul or UTC")
    }
    return problems
  }

  /// The name of the zone an edition's dates are shown in.
  public func timeZone(of edition: EditionName) -> String { timeZones[edition] ?? edition.ownTimeZone }

  /// An edition's wall clock in milliseconds east of UTC; nil if its zone is unknown or changes its clocks.
  package func offset(of edition: EditionName) -> Int64? {
    // By a time that a wrong clock cannot show: Seoul had summer times before.
    let moment = max(.now, Date(timeIntervalSince1970: TimeInterval(Self.earliestTime / 1000)))
    guard let zone = TimeZone(identifier: timeZone(of: edition)),
      zone.nextDaylightSavingTimeTransition(after: moment) == nil
    else { return nil }
    return Int64(zone.secondsFromGMT(for: moment)) * 1000
  }
}

/// Whether this can be the name of one of several servers: their sockets' ids begin with it.
private func isNode(_ name: String) -> Bool {
  (1...16).contains(name.utf8.count) && name.utf8.allSatisfy(isUnreserved)
}

/// Whether a path holds this byte as it is.
private func isUnreserved(_ byte: UInt8) -> Bool {
  switch byte {
  case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
    UInt8(ascii: "0")...UInt8(ascii: "9"),
    UInt8(ascii: "-"), UInt8(ascii: "_"):
    true
  default: false
  }
}
