package import Logging
package import SocketIOClient
package import SocketIOProtocol

/// The connection of a test's client.
package enum ClientMode: CaseIterable, Sendable {
  case polling
  case webSocket
  case upgrade

  package var transports: [EngineTransport] {
    switch self {
    case .polling: [.polling]
    case .webSocket: [.webSocket]
    case .upgrade: [.polling, .webSocket]
    }
  }
}

/// Runs `body` with a running client, which is closed afterwards and must then end.
package func withClient(
  of url: String, _ mode: ClientMode, _ change: (inout SocketIOClient.Configuration) throws -> Void,
  _ body: (SocketIOClient) async throws -> Void
) async throws {
  var configuration = SocketIOClient.Configuration.quick
  configuration.transports = mode.transports
  try change(&configuration)
  let client = try SocketIOClient(url: url, configuration: configuration, logger: .silent)
  let running = Task { await client.run() }
  let result: Result<Void, any Error>
  do { result = .success(try await body(client)) } catch { result = .failure(error) }
  await client.close()
  await running.value
  try result.get()
}

extension SocketIOClient.Configuration {
  /// The defaults, except that a lost connection is reopened quickly.
  package static var quick: Self {
    var configuration = Self()
    configuration.backoff.first = .milliseconds(10)
    configuration.backoff.longest = .milliseconds(100)
    return configuration
  }
}

extension Logger {
  package static let silent = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
}

package func json(_ text: String) -> [UInt8] { Array(text.utf8) }
