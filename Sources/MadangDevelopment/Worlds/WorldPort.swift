import Hummingbird
import Logging
import MadangCore
import MadangOperations
import MadangServer
import NIOCore
import NIOPosix
import ServiceLifecycle
import SocketIOServer
import Synchronization

/// A world's port. It stays open while successive servers answer behind it.
final class WorldPort: Sendable {
  /// The server with the sockets now.
  private final class Sockets: Sendable {
    let server: Mutex<SocketIOServer>

    init(_ server: SocketIOServer) { self.server = Mutex(server) }
  }

  /// How long requests in progress may take when the port is closed.
  private static let closeLimit: Duration = .seconds(5)

  private let kit: TestKit
  private let lease: WorldLease?
  private let date: DateHeader
  private let sockets: Sockets
  private let listening = ListenerStart()
  private let settings: ServerSettings
  private let ledger: Ledger
  private let logger: Logger
  private let opened = Mutex<(group: ServiceGroup, running: Task<Void, any Error>)?>(nil)

  /// - Parameter ledger: The amounts that clients hold at all servers behind the port.
  init(
    _ kit: TestKit, _ lease: WorldLease?, before first: MadangServer, _ settings: ServerSettings, _ ledger: Ledger,
    logger: Logger
  ) {
    (self.kit, self.lease, date) = (kit, lease, DateHeader(clock: kit.clock))
    sockets = Sockets(first.socketIO)
    (self.settings, self.ledger, self.logger) = (settings, ledger, logger)
  }

  /// Accepts connections; returns the port. Throws `SetupError`.
  func open() async throws -> Int {
    var channel = settings.httpChannel(ledger, nil)
    kit.standAround(&channel)
    // Neither the listener nor its connections retain the port, which retains the kit.
    let listener = SocketIOServer.listener(
      at: .hostname(settings.host, port: settings.port), configuration: channel,
      group: MultiThreadedEventLoopGroup.singleton, logger: logger, onRunning: { [listening] in listening.began($0) },
      server: { [sockets] in sockets.server.withLock(\.self) },
      respond: { [weak self] request, channel in
        guard let self else { return Response(status: .serviceUnavailable) }
        return try await respond(to: request, over: channel)
      })
    var configuration = ServiceGroupConfiguration(
      services: [.init(service: listener, serviceName: "listener")], logger: logger)
    configuration.maximumGracefulShutdownDuration = Self.closeLimit
    let group = ServiceGroup(configuration: configuration)
    let running = Task { [listening, settings] in
      do {
        try await wordingTaken(settings.host, settings.port, cure: "choose another") { try await group.run() }
      } catch {
        listening.failed(error)
        throw error
      }
    }
    opened.withLock { $0 = (group, running) }
    return try await listening.port
  }

  /// Replaces the server with the sockets.
  func lead(to server: SocketIOServer) { sockets.server.withLock { $0 = server } }

  /// Lets the present server answer a request, which may come through another port.
  func respond(to request: Request, over channel: any NIOCore.Channel) async throws -> Response {
    lease?.renew()
    return try await kit.respond(to: request, over: channel) { try await $1.answer($0, over: channel) }.dated(date)
  }

  /// Accepts no more connections, and closes the open ones.
  func close() async {
    guard let (group, running) = opened.withLock(\.self) else { return }
    await group.triggerGracefulShutdown()
    _ = await running.result
  }
}
