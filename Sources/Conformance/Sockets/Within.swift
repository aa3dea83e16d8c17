/// What `body` returns, in time.
/// - Throws: ``Violation`` when it takes longer; what it waited for is lost then.
func within<Value: Sendable>(
  _ expected: String, limit: Duration, _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
  try await withThrowingTaskGroup(of: Value.self) { group in
    group.addTask { try await body() }
    group.addTask {
      try await Task.sleep(for: limit)
      throw Violation(expected: expected, seen: "nothing for \(limit.components.seconds) s")
    }
    defer { group.cancelAll() }
    guard let value = try await group.next() else { throw CancellationError() }
    return value
  }
}
