extension SocketIOClient {
  /// Growing delays between attempts, spread at random so that clients do not come back all at once.
  public struct Backoff: Sendable {
    /// The delay after the first failure.
    public var first: Duration = .milliseconds(500)
    /// What each further failure multiplies the delay by.
    public var factor = 2.0
    /// The longest delay, before chance adds to it or takes away.
    public var longest: Duration = .seconds(10)
    /// The share of a delay that chance may add or take away, 0 to 1.
    public var jitter = 0.5

    public init() {}

    /// How long to wait.
    /// - Parameters:
    ///   - failures: How many attempts have failed in a row, at least 1.
    ///   - chance: 0 to 1.
    public func delay(after failures: Int, chance: Double) -> Duration {
      var delay = first
      for _ in 1..<max(1, failures) where delay < longest { delay = delay * factor }
      return min(delay, longest) * (1 + jitter * (2 * chance - 1))
    }
  }
}
