/// Does work once for all who ask for it meanwhile.
package actor Shared<Value: Sendable> {
  private var running: Task<Value, any Error>?

  package init() {}

  /// Waits for work that is under way.
  package func end() async throws { _ = try await running?.value }

  package func value(_ work: @escaping @Sendable () async throws -> Value) async throws -> Value {
    if let running { return try await running.value }
    let task = Task { try await work() }
    running = task
    defer { running = nil }
    return try await task.value
  }
}
