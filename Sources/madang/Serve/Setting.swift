import Foundation
import Logging
import MadangAPI
import MadangServer
import SocketIOServer

/// One setting: its key in files, what it means, how it is read and shown.
struct Setting: Sendable {
  struct Invalid: Error {
    let cure: String
  }

  let key: String
  let help: String
  var isSecret = false
  /// A variable of the environment that other programs use for the same, and that counts where nothing else says it.
  var customaryVariable: String?
  let read: @Sendable (String, inout LoadedSettings) throws(Invalid) -> Void
  let show: @Sendable (LoadedSettings) -> String

  static let all: [Setting] = [
    text("host", "address to listen on", \.settings.host),
    integer("port", "port to listen on, 0 for a free one", \.settings.port, 0...65535),
    text("tls.cert", "certificate with its chain, in PEM, for TLS; empty for plain HTTP", \.certificateFile),
    text("tls.key", "the certificate's private key, in PEM", \.keyFile),
    Setting(
      key: "tls.redirect.port", help: "with TLS: a port for plain HTTP that sends clients to HTTPS; empty for none",
      read: { text, loaded throws(Invalid) in
        guard !text.isEmpty else {
          loaded.redirectPort = nil
          return
        }
        guard let port = Int(text), (0...65535).contains(port) else { throw Invalid(cure: "write 0 to 65535") }
        loaded.redirectPort = port
      }, show: { $0.redirectPort.map(String.init) ?? "" }),
    Setting(
      key: "data", help: "directory of database, files and API keys",
      read: { text, loaded throws(Invalid) in
        loaded.settings.dataDirectory = URL(filePath: text, directoryHint: .isDirectory)
      }, show: { $0.settings.dataDirectory.path }),
    Setting(
      key: "database.url", help: "PostgreSQL instead of the embedded database", isSecret: true,
      read: { text, loaded throws(Invalid) in loaded.settings.databaseURL = text.isEmpty ? nil : text },
      show: { $0.settings.databaseURL ?? "" }),
    text(
      "files.home", "bucket for files, s3://bucket or s3://bucket/prefix; empty for the data directory",
      \.settings.filesHome),
    text("s3.endpoint", "https://HOST[:PORT] of a server that speaks S3; empty for Amazon's", \.settings.s3.endpoint),
    text("s3.region", "the bucket's region, like eu-central-1", \.settings.s3.region, or: "AWS_REGION"),
    secret("s3.access.key.id", "who puts files into the bucket", \.settings.s3.accessKeyID, or: "AWS_ACCESS_KEY_ID"),
    secret(
      "s3.secret.access.key", "what their calls are signed with", \.settings.s3.secretAccessKey,
      or: "AWS_SECRET_ACCESS_KEY"),
    secret(
      "s3.session.token", "of temporary credentials; empty for others", \.settings.s3.sessionToken,
      or: "AWS_SESSION_TOKEN"),
    integer("database.readers", "connections that read", \.settings.databaseReaders, 1...64),
    integer("database.writers", "PostgreSQL: connections that write", \.settings.databaseWriters, 1...64),
    milliseconds(
      "database.lock.timeout",
      "PostgreSQL: seconds a write waits for a lock of another one before it is run again; 0 for any time",
      \.settings.databaseLockTimeout, 0...600),
    integer(
      "database.log.limit", "SQLite: bytes of its write-ahead log (-wal) beyond which it is emptied",
      \.settings.databaseLogLimit, (1 << 20)...(1 << 40)),
    text("node", "this server's name among several on one database", \.settings.node),
    flag("dev", "development mode", \.settings.isDevelopment),
    flag("dev.kit", "development mode has worlds, clock, faults and a journal for tests", \.hasTestKit),
    flag("dev.lan", "development mode for devices in the local network too", \.isForLocalNetwork),
    secret(
      "dev.token", "what development calls from other machines show; empty with --lan for a random one",
      \.settings.developmentToken),
    Setting(
      key: "keys", help: "API keys that 'madang admin keys' neither lists nor revokes: KEY=2024-10,KEY=2024-01",
      isSecret: true,
      read: { text, loaded throws(Invalid) in
        for pair in text.split(separator: ",") {
          let parts = pair.split(separator: "=").map(String.init)
          guard parts.count == 2, let edition = EditionName(rawValue: parts[1]) else {
            throw Invalid(cure: "write KEY=2024-10 or KEY=2024-01, more of them separated by commas")
          }
          loaded.settings.keys[parts[0]] = edition
        }
      }, show: { $0.settings.keys.isEmpty ? "" : "\($0.settings.keys.count) keys" }),
    Setting(
      key: "edition", help: "the only edition to speak, 2024-10 or 2024-01; empty for both",
      read: { text, loaded throws(Invalid) in
        let edition = EditionName(rawValue: text)
        guard edition != nil || text.isEmpty else { throw Invalid(cure: "write 2024-10 or 2024-01") }
        loaded.settings.edition = edition
      }, show: { $0.settings.edition?.rawValue ?? "" }),
    Setting(
      key: "timezones", help: "whose wall clock an edition's dates show: 2024-01=Asia/Seoul,2024-10=UTC",
      read: { text, loaded throws(Invalid) in
        for pair in text.split(separator: ",") {
          let parts = pair.split(separator: "=").map(String.init)
          guard parts.count == 2, let edition = EditionName(rawValue: parts[0]) else {
            throw Invalid(cure: "write 2024-01=Asia/Seoul, more of them separated by commas")
          }
          loaded.settings.timeZones[edition] = parts[1]
        }
      },
      show: { loaded in
        EditionName.allCases.map { "\($0.rawValue)=\(loaded.settings.timeZone(of: $0))" }.joined(separator: ",")
      }),
    Setting(
      key: "socket.access", help: "who may join a room's socket: token, cookie, recent or open",
      read: { text, loaded throws(Invalid) in
        guard let access = SocketAccess(rawValue: text) else {
          throw Invalid(cure: "write token, cookie, recent or open")
        }
        loaded.settings.socketAccess = access
      }, show: { $0.settings.socketAccess.rawValue }),
    flag("socket.eio3", "whether old clients (Socket.IO 1 and 2) are served", \.settings.allowsEIO3),
    Setting(
      key: "socket.origins", help: "origins of other web pages that may use sockets: https://chat.example.com,...",
      read: { text, loaded throws(Invalid) in
        loaded.settings.socketOrigins = try text.split(separator: ",").map { part throws(Invalid) in
          guard SocketIOServer.AllowedOrigins.isOrigin(String(part)) else {
            throw Invalid(cure: "write origins like https://chat.example.com or http://localhost:3000")
          }
          return String(part)
        }
      }, show: { $0.settings.socketOrigins.joined(separator: ",") }),
    flag("socket.jsonp", "whether sockets are served to pages by script tags", \.settings.allowsJSONP),
    milliseconds("socket.recent.window", "seconds an address stays fresh", \.settings.socketRecentWindow),
    integer("socket.ping.interval", "seconds between pings of a socket", \.settings.socketPingInterval, 1...3600),
    integer(
      "socket.ping.timeout", "seconds a socket may leave a ping unanswered", \.settings.socketPingTimeout, 1...3600),
    integer(
      "socket.review", "seconds until sockets of disabled accounts are sent away", \.settings.socketReviewInterval,
      1...3600),
    Setting(
      key: "trusted.proxies", help: "proxies whose X-Forwarded-For is believed: 10.0.0.1,172.20.0.0/16",
      read: { text, loaded throws(Invalid) in
        loaded.settings.trustedProxies = try text.split(separator: ",").map { part throws(Invalid) in
          guard let network = IPNetwork(part) else {
            throw Invalid(cure: "write addresses or networks like 10.0.0.1,172.20.0.0/16,fd00::/8")
          }
          return network
        }
      }, show: { $0.settings.trustedProxies.map(\.text).joined(separator: ",") }),
    integer(
      "limits.requests", "calls in 10 s of one session, or of one address without one; 0 for no limit",
      \.settings.callLimits.requests),
    integer(
      "limits.connects", "connects of sockets to rooms in 10 s of one session or address; 0 for no limit",
      \.settings.callLimits.connects),
    integer(
      "limits.refreshes",
      "refreshes in 10 s of one session, but for those that show its expired access token; 0 for no limit",
      \.settings.callLimits.refreshes),
    integer(
      "limits.expired.refreshes", "refreshes in 10 s of one session that show its expired access token",
      \.settings.callLimits.expiredRefreshes),
    integer(
      "limits.dead.token.refreshes", "refreshes in 10 s of one session that still sends its expired access token",
      \.settings.callLimits.refreshesWithDeadToken),
    integer(
      "limits.loop.refreshes", "refreshes in 10 s after which an expired access token is answered E98, not E05",
      \.settings.callLimits.refreshesBeforeDeadToken),
    integer(
      "limits.refused.refreshes", "refreshes in 10 s with one unknown or expired refresh token; 0 for no limit",
      \.settings.callLimits.refusedRefreshes),
    milliseconds(
      "limits.expiry.grace", "seconds after an expiry in which every refresh succeeds",
      \.settings.callLimits.expiryGrace),
    integer(
      "limits.unknown.tokens", "calls in 10 s with one unknown token; 0 for no limit",
      \.settings.callLimits.unknownTokens),
    integer(
      "limits.signin.failures", "failed sign-ins of one account in 5 min from one address; 0 for no limit",
      \.settings.callLimits.signInFailures),
    integer(
      "limits.signin.failures.anywhere",
      "failed sign-ins of one account in 5 min from addresses where it is not known; 0 for no limit",
      \.settings.callLimits.signInFailuresAnywhere),
    integer(
      "password.memory", "KiB that hashing a password takes (Argon2id)", \.settings.passwordMemory, 8...4_194_304),
    integer("password.passes", "how often hashing passes over that memory", \.settings.passwordPasses, 1...1000),
    integer("limits.connections", "connections at a time", \.settings.connections.total, 1...Int.max),
    integer(
      "limits.connections.address", "the same from one address", \.settings.connections.perAddress, 1...Int.max),
    integer("limits.sessions", "sessions of sockets at a time", \.settings.socketSessions.total, 1...Int.max),
    integer("limits.sessions.address", "the same from one address", \.settings.socketSessions.perAddress, 1...Int.max),
    integer("limits.held", "connects of sockets that may wait for membership", \.settings.heldConnects.total),
    integer("limits.held.address", "the same from one address", \.settings.heldConnects.perAddress),
    integer("limits.memory", "bytes of bodies in memory at a time", \.settings.bodyMemory.total, 1...Int.max),
    integer("limits.memory.address", "the same from one address", \.settings.bodyMemory.perAddress, 1...Int.max),
    integer("limits.uploads", "bytes of files that arrive at a time", \.settings.uploadsOnDisk.total, 1...Int.max),
    integer("limits.uploads.address", "the same from one address", \.settings.uploadsOnDisk.perAddress, 1...Int.max),
    integer(
      "limits.downloads", "downloads from a bucket at a time", \.settings.bucketDownloads.total, 1...Int.max),
    integer(
      "limits.downloads.address", "the same from one address", \.settings.bucketDownloads.perAddress, 1...Int.max),
    integer(
      "limits.hashing", "passwords of one address that may wait to be hashed", \.settings.hashingPerAddress, 1...1024),
    integer(
      "limits.loop", "percent of the event loops' time that one address may take while others send; 100 for no limit",
      \.settings.loopPercent, 1...100),
    integer(
      "limits.log", "lines a minute in the log about sign-ins and refusals", \.settings.securityLinesPerMinute,
      1...Int.max),
    Setting(
      key: "registration", help: "who may make an account: open, invite, domain or closed",
      read: { text, loaded throws(Invalid) in
        guard let mode = RegistrationMode(rawValue: text) else {
          throw Invalid(cure: "write open, invite, domain or closed")
        }
        loaded.settings.registration = mode
      }, show: { $0.settings.registration.rawValue }),
    Setting(
      key: "registration.domains", help: "domains of e-mail addresses that may make one: example.com,example.org",
      read: { text, loaded throws(Invalid) in
        let domains = text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces).lowercased() }
        for domain in domains
        where domain.split(separator: ".", omittingEmptySubsequences: false).contains("") || !domain.contains(".")
          || domain.contains(where: { "@*".contains($0) || $0.isWhitespace })
        {
          throw Invalid(cure: "write domains like example.com,example.org, each in full")
        }
        loaded.settings.registrationDomains = Set(domains)
      }, show: { $0.settings.registrationDomains.sorted().joined(separator: ",") }),
    text("public.url", "https://HOST of the server for people, in links of invitations", \.settings.publicURL),
    integer("audit.days", "days entries of the audit log are kept; 0 for ever", \.settings.auditDays, 0...36_500),
    integer(
      "audit.refusals.kept", "entries about failed sign-ins that are kept, the newest", \.settings.auditRefusals,
      0...100_000_000),
    integer(
      "audit.refusals.minute", "failed sign-ins in a minute with an entry of their own; others are counted",
      \.settings.auditRefusalsPerMinute, 0...10_000),
    text("audit.file", "file to which entries are added as lines of JSON; empty for none", \.settings.auditFile),
    flag("audit.syslog", "whether entries are sent to the system's log (/dev/log)", \.settings.auditGoesToSyslog),
    integer("limits.body", "bytes of a request", \.settings.body.request, 1...Int.max),
    integer("limits.text", "bytes of a JSON or form body", \.settings.body.text, 1...Int.max),
    integer("files.size", "bytes of one file", \.settings.maxFileSize, 1...Int.max),
    integer("files.chat", "files of one chat", \.settings.maxFilesPerChat, 0...64),
    integer(
      "files.trash.days", "days a file that no row names stays in the trash", \.settings.trashDays, 1...36_500),
    milliseconds("pictures.replaced", "seconds a replaced picture is kept", \.settings.replacedPictureLifetime),
    secret(
      "tokens.key", "signs access tokens, the same on all servers of a database; empty for one that the database keeps",
      \.settings.tokenKey),
    milliseconds("tokens.access", "seconds an access token lives", \.settings.accessTokenLifetime),
    milliseconds("tokens.refresh", "seconds a refresh token lives", \.settings.refreshTokenLifetime),
    integer("coins.signup", "coins of a new account", \.settings.signUpCoins),
    integer("coins.workspace", "coins that making a workspace costs", \.settings.workspacePrice),
    text("channel.default", "name of the channel that new workspaces come with", \.settings.defaultChannelName),
    text("payments.portone.url", "PortOne's REST API", \.settings.providers.portOne.url),
    secret("payments.portone.key", "imp_key of the shop; empty for no payments", \.settings.providers.portOne.key),
    secret("payments.portone.secret", "imp_secret of the shop", \.settings.providers.portOne.secret),
    Setting(
      key: "store.items", help: "what the store sells, NAME:WON:COINS separated by commas",
      read: { text, loaded throws(Invalid) in
        guard loaded.settings.setStoreItems(text) else {
          throw Invalid(cure: "write 10 Coin:100:10,50 Coin:500:50, each amount once")
        }
      }, show: { $0.settings.storeItems }),
    text("apple.keys.url", "where Apple publishes the keys of its tokens", \.settings.providers.apple.keysURL),
    Setting(
      key: "apple.audience", help: "bundle ids whose Apple tokens are taken, separated by commas; empty for none",
      read: { text, loaded throws(Invalid) in
        loaded.settings.providers.apple.audiences = Set(text.split(separator: ",").map(String.init))
      }, show: { $0.settings.providers.apple.audiences.sorted().joined(separator: ",") }),
    text("kakao.url", "https://kapi.kakao.com; empty for no sign-in with Kakao", \.settings.providers.kakao.url),
    integer("kakao.app", "the number of the Kakao app whose tokens are taken", \.settings.providers.kakao.app),
    flag("kakao.any.app", "whether tokens of every Kakao app are taken", \.settings.providers.kakao.takesAnyApp),
    text("push.firebase.account", "service account file; empty for no push", \.settings.providers.firebase.accountFile),
    text("push.firebase.url", "Firebase Cloud Messaging", \.settings.providers.firebase.url),
    integer(
      "push.firebase.timeout", "seconds one call of Firebase may take", \.settings.providers.firebase.timeout, 1...25),
    text("push.text", "what a notification of a chat without text says", \.settings.push.noText),
    milliseconds("push.lifetime", "seconds a chat may wait to be pushed", \.settings.push.lifetime),
    integer("push.parallel", "notifications on their way at once", \.settings.push.parallelSends, 1...1000),
    integer("push.devices", "devices of one person that are told, the newest", \.settings.pushDevices, 1...1000),
    integer(
      "push.delayed", "notifications kept in memory that Firebase has put off for a device",
      \.settings.push.maxPutOff, 1...1_000_000),
    Setting(
      key: "operations", help: "HOST:PORT of a listener of its own for /metrics, /readyz and /_dev; empty for none",
      read: { text, loaded throws(Invalid) in
        guard !text.isEmpty else {
          loaded.settings.operations = nil
          return
        }
        let colon = text.lastIndex(of: ":")
        guard let colon, let port = Int(text[text.index(after: colon)...]), (1...65535).contains(port) else {
          throw Invalid(cure: "write an address and a port like 127.0.0.1:9090")
        }
        loaded.settings.operations = (String(text[..<colon]), port)
      }, show: { $0.settings.operations.map { "\($0.host):\($0.port)" } ?? "" }),
    flag("metrics.public", "whether GET /metrics answers other machines", \.settings.metricsArePublic),
    Setting(
      key: "log.level", help: "trace, debug, info, notice, warning, error or critical",
      read: { text, loaded throws(Invalid) in
        guard let level = Logger.Level(rawValue: text) else {
          throw Invalid(cure: "write trace, debug, info, notice, warning, error or critical")
        }
        loaded.logLevel = level
      }, show: { $0.logLevel.rawValue }),
    Setting(
      key: "log.format", help: "how lines of the log look: text, or json for an object each",
      read: { text, loaded throws(Invalid) in
        guard let format = LogFormat(rawValue: text) else { throw Invalid(cure: "write text or json") }
        loaded.logFormat = format
      }, show: { $0.logFormat.rawValue }),
  ]

  private typealias Path<Value> = any WritableKeyPath<LoadedSettings, Value> & Sendable

  private static func text(_ key: String, _ help: String, _ path: Path<String>, or variable: String? = nil) -> Setting {
    Setting(
      key: key, help: help, customaryVariable: variable,
      read: { text, loaded throws(Invalid) in loaded[keyPath: path] = text },
      show: { $0[keyPath: path] })
  }

  private static func secret(_ key: String, _ help: String, _ path: Path<String>, or variable: String? = nil) -> Setting
  {
    var setting = text(key, help, path, or: variable)
    setting.isSecret = true
    return setting
  }

  private static func integer(_ key: String, _ help: String, _ path: Path<Int>, _ range: ClosedRange<Int> = 0...Int.max)
    -> Setting
  {
    Setting(
      key: key, help: help,
      read: { text, loaded throws(Invalid) in
        guard let number = Int(text), range.contains(number) else {
          throw Invalid(
            cure:
              "write a whole number from \(range.lowerBound)\(range.upperBound == .max ? "" : " to \(range.upperBound)")"
          )
        }
        loaded[keyPath: path] = number
      }, show: { String($0[keyPath: path]) })
  }

  private static func milliseconds(
    _ key: String, _ help: String, _ path: Path<Int64>, _ range: ClosedRange<Int64> = 0...(1 << 40 - 1)
  ) -> Setting {
    Setting(
      key: key, help: help,
      read: { text, loaded throws(Invalid) in
        guard let seconds = Int64(text), range.contains(seconds) else {
          throw Invalid(
            cure:
              "write whole seconds\(range.upperBound < 1 << 40 - 1 ? " from \(range.lowerBound) to \(range.upperBound)" : "")"
          )
        }
        loaded[keyPath: path] = seconds * 1000
      }, show: { String($0[keyPath: path] / 1000) })
  }

  private static func flag(_ key: String, _ help: String, _ path: Path<Bool>) -> Setting {
    Setting(
      key: key, help: help,
      read: { text, loaded throws(Invalid) in
        guard let value = ["true": true, "1": true, "false": false, "0": false][text] else {
          throw Invalid(cure: "write true or false")
        }
        loaded[keyPath: path] = value
      }, show: { String($0[keyPath: path]) })
  }
}
