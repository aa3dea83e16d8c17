import Foundation
import MadangAPI
import MadangCore
import SocketIOServer
import Storage

/// All settings of a server. Defaults serve a private instance; ``isDevelopment`` changes what is safe only locally.
public struct ServerSettings: Sendable {
  public var host = "127.0.0.1"
  /// 0 takes a free port.
  public var port = 8080
  /// Nil for plain HTTP, as behind a proxy that speaks TLS.
  public var tls: TLSSettings?
  /// Seconds after which a connection is closed that is idle between requests. Proxies keep theirs 60 s mostly, and 120 s at most: one that
  /// sends a request just when the server closes loses it.
  public var idleSeconds = 125
  /// Holds `madang.sqlite`, `files/` and `secrets/`.
  public var dataDirectory = URL(filePath: "madang-data", directoryHint: .isDirectory)
  /// Where files are kept: `s3://BUCKET[/PREFIX]`; empty for `files/` in ``dataDirectory``.
  public var filesHome = ""
  public var s3 = S3Settings()
  /// A `postgres://` URL; nil for the embedded database in ``dataDirectory``.
  public var databaseURL: String?
  /// This server's name among several on one database, with which ids of Engine.IO sessions begin; empty for one alone.
  public var node = ""
  /// Development calls, explanations and, on a loopback address, development keys. Refused on another address without
  /// ``developmentToken``.
  public var isDevelopment = false
  /// What development calls from other machines show. Empty: only programs of this machine may make any.
  public var developmentToken = ""
  /// The least that such a token has, in bytes: it cannot be guessed then.
  public static let minDevelopmentToken = 16
  /// API keys and the edition each belongs to. Empty: the first server of a database makes them and keeps them under
  /// `secrets/`. Keys made by an administrator count besides.
  public var keys: [String: EditionName] = [:]
  /// What signs access tokens; empty for a key that is made on first start and kept in the database. All servers of a
  /// database have the same.
  public var tokenKey = ""
  /// The only edition this server speaks, nil for all; keys of another are unknown then.
  public var edition: EditionName?
  /// Whose wall clock an edition's dates show, by the name of a zone without daylight saving. What is left out shows
  /// its edition's own (wire contract, Dates).
  public var timeZones: [EditionName: String] = [:]
  public var socketAccess = SocketAccess.recent
  /// Milliseconds an address stays fresh for sockets without credentials.
  public var socketRecentWindow: Int64 = 24 * 3_600_000
  /// How long a connect is held before it is refused for want of membership.
  public var socketHold: Duration = .seconds(3)
  /// Lines about sign-ins and refusals in the log, in a minute.
  public var securityLinesPerMinute = 600
  /// Lines about requests and sockets that failed unexpectedly in the log, in a minute.
  public var failureLinesPerMinute = 60
  /// Which program serves, for metrics.
  public var version = "unknown"
  /// Rows about failed sign-ins in the audit log, in a minute.
  public var auditRefusalsPerMinute = 60
  /// A file to which rows of the audit log are added as lines of JSON; empty for none.
  public var auditFile = ""
  /// Whether rows of the audit log are sent to the system's log.
  public var auditGoesToSyslog = false
  /// Rows of the audit log that may wait for the file, and as many for the system's log.
  public var auditWaiting = 4096
  /// Milliseconds a stop waits for lines of the log, and for rows of the audit log that are sent elsewhere.
  public var logPatience: Int64 = 1000
  /// Where the system's log takes datagrams.
  package var syslogPath = "/dev/log"
  /// Settings that are not left at their defaults, by name, secrets hidden: the audit log tells when they change.
  public var given: [String: String] = [:]
  /// Connections at a time. Those of trusted proxies count for all together only.
  public var connections = LedgerLimit(perAddress: 4096, total: 50_000)
  /// Engine.IO sessions at a time.
  public var socketSessions = LedgerLimit(perAddress: 4096, total: 100_000)
  /// Connects that are held at a time; what is beyond it is refused at once.
  public var heldConnects = LedgerLimit(perAddress: 64, total: 4096)
  /// Bytes of bodies in memory.
  public var bodyMemory = LedgerLimit(perAddress: 16 << 20, total: 512 << 20)
  /// Bytes of files that are being received.
  public var uploadsOnDisk = LedgerLimit(perAddress: 1 << 30, total: 16 << 30)
  /// Downloads at a time of files that are in a bucket.
  public var bucketDownloads = LedgerLimit(perAddress: 256, total: 1024)
  /// Whether old clients (Socket.IO 1 and 2) are served.
  public var allowsEIO3 = true
  /// Origins of web pages that may use sockets besides the server's own, like `https://chat.example.com`.
  public var socketOrigins: [String] = []
  /// Whether sockets are served to pages by script tags (JSONP), which hides from nobody what they hear.
  public var allowsJSONP = false
  /// Seconds from a socket's answered ping to the next one.
  public var socketPingInterval = 25
  /// Seconds a socket may leave a ping unanswered before it is closed.
  public var socketPingTimeout = 20
  /// Seconds until a socket whose session an administrator ended, or whose account they disabled, is disconnected.
  public var socketReviewInterval = 5
  /// Where the proxies are whose `X-Forwarded-For`, `Forwarded` and `X-Forwarded-Proto` are believed.
  public var trustedProxies: [IPNetwork] = []
  /// Whether a call from a loopback address is from a program of this machine, which may read `/metrics` and stands for its account in
  /// `recent`. Nil: in development mode only, as a proxy of this machine may be there that nothing is known of.
  public var loopbackIsClient: Bool?
  /// How many passwords of one address may wait to be hashed; what is beyond it is answered `E98`.
  public var hashingPerAddress = 128
  /// Threads that hash passwords; zero for one less than there are processors, but at least one and at most three.
  public var hashingThreads = 0
  /// The largest part of an event loop's time, in hundredths, that the requests and packets of one address may take while
  /// others send as well; the rest of them waits. Those of trusted proxies are not counted.
  public var loopPercent = 15
  public var body = BodyLimits()
  public var callLimits = CallLimitSettings()
  /// How long a stop waits for what is in flight.
  public var shutdownTimeout: Duration = .seconds(8)
  /// Database connections that read; zero for as many as there are processors, but at least two and at most eight: more of them
  /// only slow each other down.
  public var databaseReaders = 0
  /// How long one statement may take; zero for any time.
  var databaseStatementTimeout: Duration = .seconds(30)
  /// PostgreSQL: connections that write; all but the first are opened when they are needed.
  public var databaseWriters = 4
  /// PostgreSQL: milliseconds a statement waits for a lock before its transaction is run again. Zero for any time.
  public var databaseLockTimeout: Int64 = 5000
  /// SQLite: bytes of the write-ahead log beyond which it is emptied as soon as readers let it.
  public var databaseLogLimit = 64 << 20
  /// SQLite: bytes of the database, its log included, up to which all of it is read when a server starts.
  public var databaseCheckLimit = 64 << 20
  /// SQLite: how often a server looks whether the database's file is still the one that it has open.
  public var databaseFileInterval: Duration = .seconds(5)
  /// How often the server tidies up: files without a row, old addresses. Files wait for the end of the first interval.
  public var housekeepingInterval: Duration = .seconds(3600)
  /// How often a server asks whether it is the one that tidies up for all of its database.
  public var housekeepingTurn: Duration = .seconds(5)
  /// PostgreSQL: how long chats of a deleted room or workspace stay, for sockets at other servers that lack the last of them.
  public var deletionGrace: Duration = .seconds(10)
  public var providers = ProviderSettings()
  public var push = PushSettings()
  public var mail = MailSettings()
  /// How often a server looks at what administrators are told of by mail.
  public var alarmInterval: Duration = .seconds(60)
  /// Days that the newest backup may be old before administrators are told; 0 for any number.
  public var alarmBackupDays = 2
  /// Failed sign-ins in an hour of which administrators are told; 0 for none.
  public var alarmSignIns = 200
  /// Links for another password, or to confirm an address, that one address of the network may cause in an hour, on pages and by signing
  /// up; 0 for any number.
  public var passwordResetsPerAddress = 30
  /// Where `/metrics`, `/readyz` with its reasons and `/_dev` are served instead of beside the API; whoever reaches it is
  /// taken for an operator.
  public var operations: (host: String, port: Int)?
  /// Whether `GET /metrics` answers others than this machine.
  public var metricsArePublic = false
  package var domain = Settings()

  public init() {}

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
    if isDevelopment && !node.isEmpty {
      problems.append(
        "--dev: development mode is for one server, whose clock, payments, tokens and notifications are in its memory; leave "
          + "out --node")
    }
    if !(0...65535).contains(port) { problems.append("--port: \(port) is no port; use 0 to 65535") }
    problems += tls?.problems(besides: port) ?? []
    if let databaseURL, !databaseURL.hasPrefix("postgres://"), !databaseURL.hasPrefix("postgresql://") {
      problems.append("--database-url: must begin with postgres://; leave it out for the embedded database")
    }
    if !node.isEmpty, databaseURL == nil {
      problems.append(
        "--node: several servers need PostgreSQL (--database-url); the embedded database is for one, without a name")
    }
    if !node.isEmpty, !SocketIOServer.Configuration.isNode(node) {
      problems.append("--node: '\(node)' must have 1 to 16 letters, digits, '-' or '_' of ASCII")
    }
    if !tokenKey.isEmpty, tokenKey.utf8.count < Secrets.tokenKeyMinimum || tokenKey.hasNUL {
      problems.append(
        "tokens.key: must have \(Secrets.tokenKeyMinimum) characters or more, best from 'openssl rand -hex 32'; leave it out "
          + "for a key that the database keeps")
    }
    problems += filesProblems()
    if !(1...30).contains(defaultChannelName.count) {
      problems.append("channel.default: '\(defaultChannelName)' must have 1 to 30 characters")
    }
    problems += registrationProblems()
    if !(1...30).contains(deletedNickname.count) {
      problems.append("accounts.deleted.name: '\(deletedNickname)' must have 1 to 30 characters")
    }
    for (key, text) in [("moderation.text", removedChatText), ("retention.files.text", expiredFilesText)]
    where !(1...200).contains(text.count) || text.allSatisfy(\.isWhitespace) {
      problems.append("\(key): '\(text)' must have 1 to 200 characters; apps show it")
    }
    problems += mail.problems(publicURL: publicURL)
    problems += alarmProblems()
    problems += providers.problems(deletesWithProvider: deletesWithProvider)
    for edition in EditionName.allCases where offset(of: edition) == nil {
      problems.append(
        "timezones: '\(timeZone(of: edition))' is no time zone without daylight saving; use one like Asia/Seoul or UTC")
    }
    return problems
  }

  /// The name of the zone an edition's dates are shown in.
  public func timeZone(of edition: EditionName) -> String {
    if let name = timeZones[edition] { return name }
    return switch edition {
    case .january2024: "Asia/Seoul"
    case .october2024: "UTC"
    }
  }

  /// An edition's wall clock in milliseconds east of UTC; nil if its zone is unknown or changes its clocks.
  func offset(of edition: EditionName) -> Int64? {
    // By a time that a wrong clock cannot show: Seoul had summer times before.
    let moment = max(.now, Date(timeIntervalSince1970: TimeInterval(earliestTime / 1000)))
    guard let zone = TimeZone(identifier: timeZone(of: edition)),
      zone.nextDaylightSavingTimeTransition(after: moment) == nil
    else { return nil }
    return Int64(zone.secondsFromGMT(for: moment)) * 1000
  }
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
