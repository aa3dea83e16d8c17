import SocketIOProtocol

@testable import SocketIOClient

extension SocketIOClient {
  /// Makes the server note something, after all earlier events.
  func note(_ text: String) async throws {
    try await emit("note", text, acknowledgedWithin: patience)
  }

  /// Whether events of `/` with this name are awaited.
  func isListening(to name: String) -> Bool {
    listeners[Interest(namespace: "/", subject: .named(name))] != nil
  }

  /// Drops the connection; `body` runs before there is a new one.
  func lose<Result: Sendable>(_ body: @Sendable (isolated SocketIOClient) throws -> Result) rethrows -> Result {
    fail(.lost(.transportError), connection: connectionCount)
    endConnection(.lost(.transportError), tellDisconnected: true)
    return try body(self)
  }

  /// Runs `body`, and drops the connection before anything else can happen.
  func losing<Result: Sendable>(_ body: @Sendable (isolated SocketIOClient) throws -> Result) rethrows -> Result {
    let result = try body(self)
    lose { _ in }
    return result
  }

  /// Runs `body` while the connection is about to end.
  func failing(_ body: @Sendable (isolated SocketIOClient) throws -> Void) rethrows {
    fail(.lost(.transportError), connection: connectionCount)
    try body(self)
  }

  /// Waits for an acknowledgement that never arrives.
  nonisolated func asking(_ namespace: String) -> Task<SocketArguments, any Error> {
    Task { try await emit("e", in: namespace, acknowledgedWithin: patience) }
  }
}
