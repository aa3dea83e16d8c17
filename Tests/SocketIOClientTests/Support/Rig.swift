import Logging
import NIOCore
import SocketIOClient
import SocketIOProtocol
import SocketIOServer
import Synchronization

/// How a client may reach the server.
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

/// A server on a free port. In "/" it answers `echo`, and notes the first argument of `note` before it acknowledges it.
struct Rig: Sendable {
  let server: SocketIOServer
  let port: Int
  let notes = Notes()

  var url: String { "http://127.0.0.1:\(port)" }

  typealias Declaration = (inout NamespaceHandlers, Notes) -> Void

  /// - Parameter declare: Handlers of "/" besides its own.
  static func with(
    _ configuration: SocketIOServer.Configuration = .changed { _ in },
    _ declare: Declaration = { _, _ in }, _ body: (Rig) async throws -> Void
  ) async throws {
    let server = SocketIOServer(configuration: configuration, logger: .silent)
    let (ports, running) = AsyncStream.makeStream(of: Int.self)
    let task = Task { try await server.run(port: 0, stopsOnSignals: false) { running.yield($0) } }
    var iterator = ports.makeAsyncIterator()
    let port = await iterator.next() ?? 0
    let rig = Rig(server: server, port: port)
    rig.serve(declare)
    let result: Result<Void, any Error>
    do { result = .success(try await body(rig)) } catch { result = .failure(error) }
    task.cancel()
    _ = await task.result
    try result.get()
  }

  private init(server: SocketIOServer, port: Int) { (self.server, self.port) = (server, port) }

  private func serve(_ declare: Declaration) {
    var handlers = NamespaceHandlers()
    handlers.on("echo") { socket, event in
      if let acknowledge = event.acknowledge {
        acknowledge(event.arguments)
      } else {
        socket.emit("echo", event.arguments)
      }
    }
    handlers.on("note") { [notes] _, event in
      notes.add((try? event.decode(String.self)) ?? "?")
      event.acknowledge?(SocketArguments())
    }
    handlers.on("bye") { socket, _ in socket.disconnect() }
    declare(&handlers, notes)
    server.namespace("/", configure: handlers)
  }

  /// Runs `body` with a running client, which is closed afterwards and must then end.
  func withClient(
    _ mode: ClientMode = .webSocket, url: String? = nil,
    _ change: (inout SocketIOClient.Configuration) throws -> Void = { _ in },
    _ body: (SocketIOClient) async throws -> Void
  ) async throws {
    var configuration = SocketIOClient.Configuration.quick
    configuration.transports = mode.transports
    try change(&configuration)
    let client = try SocketIOClient(url: url ?? self.url, configuration: configuration, logger: .silent)
    let running = Task { await client.run() }
    let result: Result<Void, any Error>
    do { result = .success(try await body(client)) } catch { result = .failure(error) }
    await client.close()
    await running.value
    try result.get()
  }
}

extension SocketIOServer.Configuration {
  static func changed(_ body: (inout Self) -> Void) -> Self {
    var configuration = Self()
    configuration.closeTimeout = .milliseconds(100)
    body(&configuration)
    return configuration
  }
}

extension SocketIOClient.Configuration {
  static var quick: Self {
    var configuration = Self()
    configuration.backoff.first = .milliseconds(10)
    configuration.backoff.longest = .milliseconds(100)
    return configuration
  }
}

extension Logger {
  static let silent = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
}

/// What the server was told, in order.
final class Notes: Sendable {
  private let entries = Mutex<[String]>([])

  var all: [String] { entries.withLock { $0 } }

  /// - Returns: How often it was told so before.
  @discardableResult
  func add(_ entry: String) -> Int {
    entries.withLock { entries in
      defer { entries.append(entry) }
      return entries.count { $0 == entry }
    }
  }
}

/// A JSON text.
func json(_ text: String) -> [UInt8] { Array(text.utf8) }

let patience = Duration.seconds(60)
