import Storage

/// Checks whether database and disk accept writes, at most once per interval, however often it is asked.
actor ReadinessProbe {
  private let changed: @Sendable (String?) -> Void
  private let check: @Sendable () async throws -> Void
  private let interval: Duration
  private let limit: Duration
  private var last: (problem: String?, at: ContinuousClock.Instant)?
  private var startedAt: ContinuousClock.Instant?
  /// The last argument of `changed`.
  private var told: String?
  private var waiters: [CheckedContinuation<String?, Never>] = []

  /// - Parameters:
  ///   - interval: How long a result is valid.
  ///   - limit: When an unfinished check counts as failed. The next one begins after it has ended.
  ///   - changed: Called when a problem begins, changes, or ends (nil).
  init(
    every interval: Duration = .seconds(1), within limit: Duration = .seconds(3),
    changed: @escaping @Sendable (String?) -> Void = { _ in }, check: @escaping @Sendable () async throws -> Void
  ) {
    (self.changed, self.check) = (changed, check)
    self.interval = interval
    self.limit = limit
  }

  /// The problem; nil if there is none.
  func problem() async -> String? {
    if let startedAt, .now - startedAt >= limit { return silence }
    if startedAt == nil {
      if let last, .now - last.at < interval { return last.problem }
      start()
    }
    return await withCheckedContinuation { waiters.append($0) }
  }

  /// Unstructured tasks: the result belongs to all callers, and a check that hangs cannot be ended.
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
