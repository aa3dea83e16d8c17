import Logging
import NIOCore
import SocketIOClient
import SocketIOProtocol
import SocketIOServer
import SocketIOSupport
import Synchronization

/// A server on a free port. In "/" it answers `echo`, and notes the first argument of `note` before it acknowledges it.
struct Rig: Sendable {
  let server: SocketIOServer
  let port: Int
  let notes = Notes()

  var url: String { "http://127.0.0.1:\(port)" }

  typealias Declaration = (inout NamespaceHandlers, Notes) -> Void

  /// - Parameter declare: Adds handlers to "/".
  static func with(
    _ configuration: SocketIOServer.Configuration = .changed { _ in },
    _ declare: Declaration = { _, _ in }, logger: Logger = .silent, _ body: (Rig) async throws -> Void
  ) async throws {
    let server = SocketIOServer(configuration: configuration, logger: logger)
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
    try await SocketIOSupport.withClient(of: url ?? self.url, mode, change, body)
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

/// The server's notes, in order.
final class Notes: Sendable {
  private let entries = Mutex<[String]>([])

  var all: [String] { entries.withLock { $0 } }

  /// - Returns: How often the same note was made before.
  @discardableResult
  func add(_ entry: String) -> Int {
    entries.withLock { entries in
      defer { entries.append(entry) }
      return entries.count { $0 == entry }
    }
  }
}

let patience = Duration.seconds(60)
