import SocketIOProtocol

@testable import SocketIOClient

extension SocketIOClient {
  /// Has the server note something, behind all that was sent before.
  func note(_ text: String) async throws {
    try await emit("note", text, acknowledgedWithin: patience)
  }

  /// Loses the connection; `body` acts before a new one is there.
  func lose<Result: Sendable>(_ body: @Sendable (isolated SocketIOClient) throws -> Result) rethrows -> Result {
    fail(.lost(.transportError), connection: connectionCount)
    endConnection(.lost(.transportError), tellDisconnected: true)
    return try body(self)
  }

  /// Acts, and loses the connection before anything else can happen.
  func losing<Result: Sendable>(_ body: @Sendable (isolated SocketIOClient) throws -> Result) rethrows -> Result {
    let result = try body(self)
    lose { _ in }
    return result
  }

  /// Acts while the connection is about to end.
  func failing(_ body: @Sendable (isolated SocketIOClient) throws -> Void) rethrows {
    fail(.lost(.transportError), connection: connectionCount)
    try body(self)
  }

  /// Asks for an acknowledgement that comes from nobody.
  nonisolated func asking(_ namespace: String) -> Task<SocketArguments, any Error> {
    Task { try await emit("e", in: namespace, acknowledgedWithin: patience) }
  }
}
