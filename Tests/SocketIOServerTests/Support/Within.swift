/// What `body` returns, or `nil` when it takes longer or throws. `body` is cancelled then: a `Wire` it read from is of no
/// more use.
func within<Value: Sendable>(
  _ limit: Duration, _ body: @escaping @Sendable () async throws -> Value
) async -> Value? {
  await withTaskGroup(of: Value?.self) { group in
    group.addTask { try? await body() }
    group.addTask {
      try? await Task.sleep(for: limit)
      return nil
    }
    defer { group.cancelAll() }
    return await group.next() ?? nil
  }
}
