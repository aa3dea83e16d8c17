import ACME

/// Runs `body` for at most `limit`, then cancels it. Throws ``ACMEError`` if it took too long.
func within<Result: Sendable>(
  _ limit: Duration, _ body: @escaping @Sendable () async throws -> Result
) async throws -> Result {
  try await withThrowingTaskGroup(of: Result?.self) { group in
    group.addTask { try await body() }
    group.addTask {
      try await Task.sleep(for: limit)
      return nil
    }
    defer { group.cancelAll() }
    guard let result = try await group.next() ?? nil else { throw ACMEError.slow("finish") }
    return result
  }
}
