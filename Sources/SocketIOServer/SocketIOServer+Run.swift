import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import ServiceLifecycle
import Synchronization
import UnixSignals

extension SocketIOServer {
  /// The length of the queue of connections to accept, as far as the kernel allows (`net.core.somaxconn`). After a restart all clients
  /// return at once, and clients that find the queue full retry a second later.
  public static let backlog = 4096

  /// Serves on its own port, without another HTTP application: other paths are answered 404.
  ///
  /// - Parameters:
  ///   - host: 127.0.0.1, the default, is reachable only from this machine; "0.0.0.0" means all its IPv4 addresses.
  ///   - port: 0 picks a free port.
  ///   - stopsOnSignals: Whether SIGTERM and SIGINT stop the server. From then on they have no other effect in this process.
  ///   - onRunning: Called with the port when clients can connect.
  /// - Returns: After a signal, when all sessions have ended. It may then run again, also on another port, unless it has an adapter: a
  ///   server that has left its cluster ends the process with a message.
  /// - Throws: An error if the address cannot be bound, or `CancellationError` if the task is cancelled; all sessions have ended then, too.
  public func run(
    host: String = "127.0.0.1", port: Int, stopsOnSignals: Bool = true,
    onRunning: @escaping @Sendable (Int) async -> Void = { _ in }
  ) async throws {
    let listener = listener(
      at: .hostname(host, port: port), configuration: .init(), logger: core.logger, onRunning: onRunning
    ) { [self] request, channel in
      var response = Response(status: .notFound)
      if isSocketPath(request.uri.path) { response = await respond(to: request, channel: channel) }
      response.headers[.date] = HTTPDate.now
      return response
    }
    try await run(listener, stopsOnSignals: stopsOnSignals)
  }

  /// Runs an application that contains this server. At shutdown the sessions end first, because their waiting polls would delay it.
  ///
  /// - Parameter stopsOnSignals: Whether SIGTERM and SIGINT stop it. From then on they have no other effect in this process.
  /// - Throws: The application's error, or `CancellationError` if the task is cancelled; all sessions have ended then, too.
  public func run(_ application: some Service, stopsOnSignals: Bool) async throws {
    core.endShutdown()
    // Services are stopped in reverse order.
    let services = ServiceGroup(
      configuration: .init(
        services: [
          .init(service: application, serviceName: "application"),
          .init(service: SessionEnding(server: self), serviceName: "end of sessions"),
        ],
        gracefulShutdownSignals: stopsOnSignals ? [.sigterm, .sigint] : [], logger: core.logger))
    // Unstructured, so that cancelling the task stops the application as a signal does: an application that is cancelled directly logs an
    // error.
    let running = Task { try await services.run() }
    let limit = core.configuration.closeTimeout + Self.cancellationGrace
    let stopping = Stopping()
    defer { stopping.isDone() }
    try await withTaskCancellationHandler {
      try await running.value
    } onCancel: {
      stopping.begin {
        await services.triggerGracefulShutdown()
        guard (try? await Task.sleep(for: limit)) != nil else { return }
        running.cancel()
      }
    }
    try Task.checkCancellation()
  }

  /// How long a cancelled `run` waits for requests in progress, after the sessions have ended.
  private static let cancellationGrace = Duration.seconds(5)
}

private struct SessionEnding: Service {
  let server: SocketIOServer

  func run() async throws {
    // It throws if the task is cancelled, which is also a request to stop.
    do { try await gracefulShutdown() } catch {
      await server.shutdown()
      throw error
    }
    await server.shutdown()
  }
}

/// The stop of a cancelled run. It ends with the run: while it waits, it keeps the whole server in memory.
private final class Stopping: Sendable {
  private struct State {
    var work: Task<Void, Never>?
    var isDone = false
  }

  private let state = Mutex(State())

  func begin(_ work: @escaping @Sendable () async -> Void) {
    state.withLock { state in
      if !state.isDone { state.work = Task { await work() } }
    }
  }

  func isDone() {
    let work = state.withLock { state in
      defer { state = State(work: nil, isDone: true) }
      return state.work
    }
    work?.cancel()
  }
}
