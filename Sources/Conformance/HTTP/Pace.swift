/// Keeps calls without a session below the limit of their address, 600 in 10 s (wire contract, Call limits).
actor Pace {
  private var next = ContinuousClock.now
  /// 50 a second, after a first burst.
  private static let interval = Duration.milliseconds(20)
  private static let burst = Duration.milliseconds(20 * 60)

  /// Returns when the next call may be made.
  func wait() async throws {
    let now = ContinuousClock.now
    next = max(next, now - Self.burst) + Self.interval
    if next > now { try await Task.sleep(until: next, clock: .continuous) }
  }
}
