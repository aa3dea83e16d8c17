import MadangCore

/// How much may be held at a time, and written to the log.
public struct LimitSettings: Sendable {
  /// Those of trusted proxies count for all together only.
  public var connections = LedgerLimit("limits.connections", 50_000, "connections at a time", perAddress: 4096)
  public var sessions = LedgerLimit("limits.sessions", 100_000, "sessions of sockets at a time", perAddress: 4096)
  /// Connects of sockets that may wait for membership; more are refused at once.
  public var heldConnects = LedgerLimit(perAddress: 64, total: 4096)
  public var memory = LedgerLimit(
    "limits.memory", 512 << 20, "bytes of bodies, and of long answers until they are read, in memory at a time",
    perAddress: 16 << 20, "the same of one address or account")
  public var uploads = LedgerLimit(
    "limits.uploads", 16 << 30, "bytes of files that arrive at a time", perAddress: 1 << 30)
  public var downloads = LedgerLimit(
    "limits.downloads", 1024, "downloads from a bucket at a time", perAddress: 256)
  /// What is beyond it is answered `E98`.
  public var hashing = setting(
    "limits.hashing", 128, .integer(1...1024), "passwords of one address that may wait to be hashed")
  /// Those of trusted proxies are not counted.
  public var loopPercent = setting(
    "limits.loop", 15, .integer(1...100),
    "percent of the event loops' time that one address may take while others send; 100 for no limit")
  public var securityLines = setting(
    "limits.log", 600, .integer(1...), "lines a minute in the log about sign-ins and refusals")
  public var failureLines = setting(
    "limits.log.failures", 60, .integer(1...),
    "lines a minute in the log about requests and sockets that failed unexpectedly")

  public init() {}
}

/// How much may be held at a time.
public struct LedgerLimit: Sendable {
  /// By all together.
  public var total: Int
  /// By one address; those of IPv6 count by their /64.
  public var perAddress: Int

  public init(perAddress: Int, total: Int) {
    self.perAddress = perAddress
    self.total = total
  }

  /// Declares two settings, `key` and `key.address`.
  fileprivate init(
    _ key: String, _ total: Int, _ help: String, perAddress: Int, _ addressHelp: String = "the same from one address"
  ) {
    self.total = setting(key, total, .integer(1...), help)
    self.perAddress = setting("\(key).address", perAddress, .integer(1...), addressHelp)
  }

  /// How much all together may hold when somebody comes to hold `amount`: a few addresses with much must not keep out
  /// those with little.
  package func most(forWhoHolds amount: Int) -> Int { amount <= max(1, perAddress / 64) ? total + total / 4 : total }
}
