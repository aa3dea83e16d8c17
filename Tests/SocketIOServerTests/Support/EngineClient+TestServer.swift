import SocketIOSupport

extension EngineClient {
  /// - Parameter query: Sent with the request that opens the session.
  init(_ server: TestServer, _ carrier: Carrier, query: String = "") async throws {
    try await self.init(port: server.port, carrier, query: query)
  }
}
