import Storage

/// Finds out whether database and disk take writes, at most once in a while however often it is asked.
actor ReadinessProbe {
  private let changed: @Sendable (String?) -> Void
  private let check: @Sendable () async throws -> Void
  private let interval: Duration
  private let limit: Duration
  private var last: (problem: String?, at: ContinuousClock.Instant)?
  private var startedAt: ContinuousClock.Instant?
  /// What `changed` was called with last.
  private var told: String?
  private var waiters: [CheckedContinuation<String?, Never>] = []

  /// - Parameters:
  ///   - interval: How long an answer counts.
  ///   - limit: After how long a check that has not ended counts as failed. The next one begins when it has ended.
  ///   - changed: Called when something is wrong, when it is something else, and when nothing is any more (nil).
  init(
    every interval: Duration = .seconds(1), within limit: Duration = .seconds(3),
    changed: @escaping @Sendable (String?) -> Void = { _ in }, check: @escaping @Sendable () async throws -> Void
  ) {
    (self.changed, self.check) = (changed, check)
    self.interval = interval
    self.limit = limit
  }

  /// What is wrong; nil if nothing is.
  func problem() async -> String? {
    if let startedAt, .now - startedAt >= limit { return silence }
    if startedAt == nil {
      if let last, .now - last.at < interval { return last.problem }
      start()
    }
    return await withCheckedContinuation { waiters.append($0) }
  }

  /// Unstructured tasks: the outcome belongs to all who ask, and a check that hangs cannot be ended.
  private func start() {
    startedAt = .now
    let timer = Task {
      try await Task.sleep(for: limit)
      answer(silence)
    }
    Task {
      var problem: String?
      do { try await check() } catch { problem = (error as? StorageError)?.message ?? "\(error)" }
      timer.cancel()
      startedAt = nil
      last = (problem, .now)
      answer(problem)
    }
  }

  private func answer(_ problem: String?) {
    if problem != told { changed(problem) }
    told = problem
    for waiter in waiters { waiter.resume(returning: problem) }
    waiters = []
  }

  private var silence: String { "database or disk has not answered for \(limit)" }
}
