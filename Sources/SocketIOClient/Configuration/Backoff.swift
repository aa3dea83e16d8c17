extension SocketIOClient {
  /// Growing delays between attempts, randomised so that clients do not all reconnect at once.
  public struct Backoff: Sendable {
    /// The delay after the first failure.
    public var first: Duration = .milliseconds(500)
    /// The factor by which each further failure multiplies the delay.
    public var factor = 2.0
    /// The longest delay before randomisation.
    public var longest: Duration = .seconds(10)
    /// The largest share of a delay that is randomly added or subtracted, 0 to 1.
    public var jitter = 0.5

    public init() {}

    /// The delay before the next attempt.
    /// - Parameters:
    ///   - failures: How many attempts have failed in a row, at least 1.
    ///   - chance: A random number from 0 to 1.
    public func delay(after failures: Int, chance: Double) -> Duration {
      var delay = first
      for _ in 1..<max(1, failures) where delay < longest { delay = delay * factor }
      return min(delay, longest) * (1 + jitter * (2 * chance - 1))
    }
  }
}
