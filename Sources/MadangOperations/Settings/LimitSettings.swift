import MadangCore

/// Limits of resources that callers hold, and of log lines.
public struct LimitSettings: Sendable {
  /// Connections of trusted proxies count for the total only, and those with a PROXY header for the address in it.
  public var connections = LedgerLimit("limits.connections", 50_000, "connections open at one time", perAddress: 4096)
  public var sessions = LedgerLimit("limits.sessions", 100_000, "socket sessions open at one time", perAddress: 4096)
  /// Socket connects that may wait for membership; more are refused at once.
  public var heldConnects = LedgerLimit(perAddress: 64, total: 4096)
  public var memory = LedgerLimit(
    "limits.memory", 512 << 20, "bytes of request bodies and unread long answers in memory",
    perAddress: 16 << 20, "the same limit for one address or account")
  public var uploads = LedgerLimit(
    "limits.uploads", 16 << 30, "bytes of files that are being uploaded", perAddress: 1 << 30)
  public var downloads = LedgerLimit(
    "limits.downloads", 1024, "downloads from a bucket at one time", perAddress: 256)
  /// Further attempts get `E98`.
  public var hashing = setting(
    "limits.hashing", 128, .integer(1...1024), "passwords from one address that may wait to be hashed")
  /// Trusted proxies are not limited.
  public var loopPercent = setting(
    "limits.loop", 15, .integer(1...100),
    "percent of the event loops' time that one address may use while other addresses send; 100 for no limit")
  public var securityLines = setting(
    "limits.log", 600, .integer(1...), "log lines a minute about sign-ins and refused requests")
  public var failureLines = setting(
    "limits.log.failures", 60, .integer(1...),
    "log lines a minute about requests and sockets that failed unexpectedly")

  public init() {}
}

/// A limit on an amount held at one time.
public struct LedgerLimit: Sendable {
  /// Of all callers together.
  public var total: Int
  /// Of one address; IPv6 addresses count by their /64.
  public var perAddress: Int

  public init(perAddress: Int, total: Int) {
    self.perAddress = perAddress
    self.total = total
  }

  /// Declares two settings, `key` and `key.address`.
  fileprivate init(
    _ key: String, _ total: Int, _ help: String, perAddress: Int,
    _ addressHelp: String = "the same limit for one address"
  ) {
    self.total = setting(key, total, .integer(1...Self.largest), help)
    self.perAddress = setting("\(key).address", perAddress, .integer(1...Self.largest), addressHelp)
  }

  /// The largest amount that can be set: sums of several never overflow.
  package static let largest = 1 << 50

  /// The total for a caller that already holds `amount`: a few addresses that hold much must not keep out those that hold
  /// little.
  package func most(forWhoHolds amount: Int) -> Int { amount <= max(1, perAddress / 64) ? total + total / 4 : total }
}
