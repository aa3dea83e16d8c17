import SocketIOSupport

/// The result of `body`, or `nil` if it takes longer or throws. Then `body` is cancelled, and a `Wire` that it read from can no longer be
/// used.
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
