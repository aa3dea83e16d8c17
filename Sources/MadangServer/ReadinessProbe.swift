import Storage

/// Finds out whether database and disk take writes, at most once in a while however often it is asked.
actor ReadinessProbe {
  private let check: @Sendable () async throws -> Void
  private let interval: Duration
  private var last: (problem: String?, at: ContinuousClock.Instant)?
  private var underWay: Task<String?, Never>?

  /// - Parameter interval: How long an answer counts.
  init(every interval: Duration = .seconds(1), _ check: @escaping @Sendable () async throws -> Void) {
    self.interval = interval
    self.check = check
  }

  /// What is wrong; nil if nothing is.
  func problem() async -> String? {
    if let last, ContinuousClock.now - last.at < interval { return last.problem }
    if let underWay { return await underWay.value }
    // Unstructured: the outcome belongs to all who ask.
    let task = Task { [check] in
      do {
        try await check()
        return nil as String?
      } catch {
        return (error as? StorageError)?.message ?? "\(error)"
      }
    }
    underWay = task
    let problem = await task.value
    (last, underWay) = ((problem, .now), nil)
    return problem
  }
}
