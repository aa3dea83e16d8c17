import Foundation
import MadangCore

/// All settings of a server. Defaults serve a private instance; ``isDevelopment`` changes what is safe only locally.
public struct ServerSettings: Sendable {
  public var host = "127.0.0.1"
  /// 0 takes a free port.
  public var port = 8080
  /// Holds `madang.sqlite`, `files/` and `secrets/`.
  public var dataDirectory = URL(filePath: "madang-data", directoryHint: .isDirectory)
  /// A `postgres://` URL; nil for the embedded database in ``dataDirectory``.
  public var databaseURL: String?
  /// Development keys, development calls and explanations. Refused on an address that is not loopback.
  public var isDevelopment = false
  /// API keys and the edition each belongs to. Empty: made on first start and kept under `secrets/`.
  public var keys: [String: String] = [:]
  public var socketAccess = SocketAccess.recent
  /// Milliseconds an address stays fresh for sockets without credentials.
  public var socketRecentWindow: Int64 = 24 * 3_600_000
  /// How long a connect is held before it is refused for want of membership.
  public var socketHold: Duration = .seconds(3)
  /// How often a held connect is looked at again.
  public var socketHoldInterval: Duration = .milliseconds(100)
  /// Addresses of proxies whose `X-Forwarded-For` is believed.
  public var trustedProxies: Set<String> = []
  public var body = BodyLimits()
  public var callLimits = CallLimitSettings()
  /// How long a stop waits for what is in flight.
  public var shutdownTimeout: Duration = .seconds(8)
  /// Database connections that read.
  public var databaseReaders = 3
  /// How often the server tidies up: orphan files, old addresses.
  public var housekeepingInterval: Duration = .seconds(3600)
  package var domain = Settings()

  public init() {}

  /// Base-2 logarithm of scrypt's N for new passwords; memory and time double with each step.
  public var passwordCost: Int {
    get { domain.passwordCost.logRounds }
    set { domain.passwordCost.logRounds = newValue }
  }

  /// All that is wrong with the settings, each with a cure; empty if nothing is.
  public func problems() -> [String] {
    var problems: [String] = []
    let loopback = host == "localhost" || host == "::1" || host.hasPrefix("127.")
    if isDevelopment && !loopback {
      problems.append("--dev: development mode is unsafe on \(host); use a loopback address (--host 127.0.0.1)")
    }
    if !(0...65535).contains(port) { problems.append("--port: \(port) is no port; use 0 to 65535") }
    if let databaseURL, !databaseURL.hasPrefix("postgres://"), !databaseURL.hasPrefix("postgresql://") {
      problems.append("--database-url: must begin with postgres://; leave it out for the embedded database")
    }
    return problems
  }
}
