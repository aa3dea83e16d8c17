/// Runs `body` for at most `limit`, then cancels it and throws ``ACMEError``.
/// - Parameter what: What the authority had to do, for the error.
package func within<Result: Sendable>(
  _ limit: Duration, to what: String, _ body: @escaping @Sendable () async throws -> Result
) async throws -> Result {
  try await withThrowingTaskGroup(of: Result?.self) { group in
    group.addTask { try await body() }
    group.addTask {
      try await Task.sleep(for: limit)
      return nil
    }
    defer { group.cancelAll() }
    guard let result = try await group.next() ?? nil else { throw ACMEError.slow(what) }
    return result
  }
}
