import Logging
import NIOCore
import NIOPosix
import SocketIOProtocol

/// A Socket.IO 5 client (Engine.IO 4 over WebSocket) that keeps itself connected.
///
/// Ask for namespaces with ``updates(in:auth:)`` and run the client in a task of its own:
/// ```swift
/// let client = try SocketIOClient(url: "http://127.0.0.1:3000")
/// async let running: Void = client.run()
/// for try await update in await client.updates(in: ["/"]) { ... }
/// ```
/// All namespaces share one connection. When it is lost, or the server is silent for longer than it promised, it is
/// opened again after a growing delay, and the namespaces of living sequences are joined again.
public actor SocketIOClient {
  let configuration: Configuration
  let address: ServerAddress
  let logger: Logger
  let loop: any EventLoop
  private let executor: any SerialExecutor

  var connection: Connection?
  var memberships: [String: Membership] = [:]
  var acknowledgements: [Awaited: PendingAck] = [:]
  var isClosed = false
  private var pause: Task<Void, Never>?
  private var connectionCount = 0
  var feedCount = 0

  /// The actor runs on the connection's event loop: packets are handled where they arrive, without a hop.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// - Parameter url: The server's origin, `http`, `https`, `ws` or `wss`.
  /// - Throws: ``SocketIOError/badURL(_:)``.
  public init(
    url: String, configuration: Configuration = .init(), logger: Logger = Logger(label: "socketio.client"),
    on group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton
  ) throws(SocketIOError) {
    address = try ServerAddress(url: url)
    self.configuration = configuration
    self.logger = logger
    loop = group.next()
    executor = loop.executor
  }
}

// MARK: - Running

extension SocketIOClient {
  /// Connects and stays connected until the client is closed, the task is cancelled, or the allowed attempts have
  /// failed. Call it once. Every sequence of updates has ended when it returns.
  public func run() async {
    var failures = 0
    while !isClosed, !Task.isCancelled {
      let (wasOpen, reason) = await connectAndServe()
      if isClosed || Task.isCancelled { break }
      failures = wasOpen ? 1 : failures + 1
      if let most = configuration.maxAttempts, failures > most { break }
      let delay = configuration.backoff.delay(after: failures, chance: .random(in: 0...1))
      logger.debug("connecting again", metadata: ["reason": "\(reason)", "delay": "\(delay)"])
      for namespace in memberships.keys { tell(namespace, .waiting(reason: reason, delay: delay)) }
      await rest(delay)
    }
    close()
  }

  /// Leaves everything and closes the connection; ``run()`` returns and every sequence ends.
  public func close() {
    isClosed = true
    pause?.cancel()
    if let connection, let transport = connection.transport {
      transport.send([EnginePacket(.close)])
      transport.close()
    }
    endConnection(.forcedClose, tellDisconnected: false)
    let feeds = memberships.values.map(\.feed)
    memberships = [:]
    for feed in feeds { feed.finish() }
  }

  private func rest(_ delay: Duration) async {
    // A task of its own, so that closing can end the pause without cancelling whoever runs the client.
    let pause = Task { _ = try? await Task.sleep(for: delay) }
    self.pause = pause
    await withTaskCancellationHandler {
      await pause.value
    } onCancel: {
      pause.cancel()
    }
    self.pause = nil
  }

  private func connectAndServe() async -> (wasOpen: Bool, reason: String) {
    connectionCount += 1
    let id = connectionCount
    connection = Connection(id: id, maxAttachments: configuration.maxAttachments)
    do {
      let transport = try await WebSocketTransport.open(
        address, target: target, configuration: configuration, on: loop
      ) { [weak self] packet in
        self?.assumeIsolated { $0.received(packet, connection: id) }
      }
      guard !isClosed, !Task.isCancelled else {
        transport.close()
        return (false, "closed")
      }
      started(transport, connection: id)
      await withTaskCancellationHandler {
        await transport.closed()
      } onCancel: {
        transport.close()
      }
      let wasOpen = connection?.wasOpened ?? true
      let reason = connection?.closing ?? .transportClose
      endConnection(reason, tellDisconnected: true)
      return (wasOpen, reason.rawValue)
    } catch {
      endConnection(.transportError, tellDisconnected: true)
      return (false, Self.describe(error))
    }
  }

  private var target: String {
    let items = [("EIO", "4"), ("transport", EngineTransport.webSocket.rawValue)] + configuration.query
    return configuration.path + "?" + items.map { "\(Self.escaped($0))=\(Self.escaped($1))" }.joined(separator: "&")
  }

  private static func describe(_ error: any Error) -> String {
    switch error {
    case let error as NIOConnectionError:
      error.connectionErrors.first.map { describe($0.error) } ?? "no such host"
    case let error as IOError: "connection failed (errno \(error.errnoCode))"
    case is UpgradeRefused: "the server opens no WebSocket here"
    default: "\(error)"
    }
  }
}
