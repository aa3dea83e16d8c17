import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import ServiceLifecycle
import UnixSignals

extension SocketIOServer {
  /// How many connections may wait to be accepted, as far as the kernel lets them (`net.core.somaxconn`): after a restart all clients come
  /// back at once, and those that find no room try again a second later.
  public static let backlog = 4096

  /// Serves on a port of its own, without another HTTP application: other paths are answered 404.
  ///
  /// - Parameters:
  ///   - host: 127.0.0.1, the default, is reached from this machine only; "0.0.0.0" stands for all its IPv4 addresses.
  ///   - port: 0 takes a free one.
  ///   - stopsOnSignals: Whether SIGTERM and SIGINT stop it; they do nothing else in this process from then on.
  ///   - onRunning: Called with the port once clients may connect.
  /// - Returns: When a signal told it to stop, after all sessions have ended. It may run again then, also on another port, unless it has
  ///   an adapter: the process ends with a message if it has left its cluster.
  /// - Throws: When the address cannot be taken, or `CancellationError` when the task is cancelled; all sessions have ended then, too.
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

  /// Runs an application that this server is part of. When it is to stop, sessions end first: their waiting polls would
  /// hold it up.
  ///
  /// - Parameter stopsOnSignals: Whether SIGTERM and SIGINT stop it; they do nothing else in this process from then on.
  /// - Throws: What the application throws, or `CancellationError` when the task is cancelled; all sessions have ended then, too.
  public func run(_ application: some Service, stopsOnSignals: Bool) async throws {
    core.endShutdown()
    // What comes last is stopped first.
    let services = ServiceGroup(
      configuration: .init(
        services: [
          .init(service: application, serviceName: "application"),
          .init(service: SessionEnding(server: self), serviceName: "end of sessions"),
        ],
        gracefulShutdownSignals: stopsOnSignals ? [.sigterm, .sigint] : [], logger: core.logger))
    // Unstructured: a cancelled task stops it as a signal does. An application that is cancelled itself logs that as an error.
    let running = Task { try await services.run() }
    let limit = core.configuration.closeTimeout + Self.cancellationGrace
    try await withTaskCancellationHandler {
      try await running.value
    } onCancel: {
      Task {
        await services.triggerGracefulShutdown()
        try? await Task.sleep(for: limit)
        running.cancel()
      }
    }
    try Task.checkCancellation()
  }

  /// How long a cancelled `run` waits for requests that are being answered, after the sessions have ended.
  private static let cancellationGrace = Duration.seconds(5)
}

private struct SessionEnding: Service {
  let server: SocketIOServer

  func run() async throws {
    // It throws when the task is cancelled, which also means to stop.
    do { try await gracefulShutdown() } catch {
      await server.shutdown()
      throw error
    }
    await server.shutdown()
  }
}
