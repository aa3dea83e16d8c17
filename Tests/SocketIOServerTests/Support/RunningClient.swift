import Logging
import SocketIOClient
import SocketIOProtocol

/// How a test's `SocketIOClient` may reach the server.
enum ClientMode: CaseIterable, Sendable {
  case polling
  case webSocket
  case upgrade

  var transports: [EngineTransport] {
    switch self {
    case .polling: [.polling]
    case .webSocket: [.webSocket]
    case .upgrade: [.polling, .webSocket]
    }
  }
}

extension TestServer {
  /// Runs `body` with a running client, which is closed afterwards and must then end.
  func withClient(
    _ mode: ClientMode = .webSocket, _ change: (inout SocketIOClient.Configuration) -> Void = { _ in },
    _ body: (SocketIOClient) async throws -> Void
  ) async throws {
    var configuration = SocketIOClient.Configuration()
    configuration.transports = mode.transports
    configuration.backoff.first = .milliseconds(10)
    configuration.backoff.longest = .milliseconds(100)
    change(&configuration)
    let client = try SocketIOClient(
      url: "http://127.0.0.1:\(port)", configuration: configuration,
      logger: Logger(label: "client", factory: { _ in SwiftLogNoOpLogHandler() }))
    let running = Task { await client.run() }
    let result: Result<Void, any Error>
    do { result = .success(try await body(client)) } catch { result = .failure(error) }
    await client.close()
    await running.value
    try result.get()
  }
}

/// A JSON text.
func json(_ text: String) -> [UInt8] { Array(text.utf8) }
