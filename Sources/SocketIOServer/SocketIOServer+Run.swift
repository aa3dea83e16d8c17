import Hummingbird
import HummingbirdCore
import Logging
import NIOCore

extension SocketIOServer {
  /// Serves on a port of its own, without another HTTP application: other paths are answered 404.
  ///
  /// - Parameters:
  ///   - port: 0 takes a free one.
  ///   - onRunning: Called with the port once clients may connect.
  /// - Returns: When the process is told to stop (SIGTERM, SIGINT) or the task is cancelled, after all sessions have ended.
  /// - Throws: When the address cannot be taken.
  public func run(
    host: String = "127.0.0.1", port: Int, onRunning: @escaping @Sendable (Int) async -> Void = { _ in }
  ) async throws {
    let application = Application(
      responder: SocketIOResponder(server: self), server: httpServer(),
      configuration: .init(address: .hostname(host, port: port)),
      onServerRunning: { await onRunning($0.localAddress?.port ?? port) },
      eventLoopGroupProvider: .shared(group), logger: core.logger)
    try await application.runService()
    await shutdown()
  }
}

private struct SocketIOContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  let channel: any Channel

  init(source: ApplicationRequestContextSource) {
    coreContext = .init(source: source)
    channel = source.channel
  }
}

private struct SocketIOResponder: HTTPResponder {
  let server: SocketIOServer

  func respond(to request: Request, context: SocketIOContext) async throws -> Response {
    guard server.isSocketPath(request.uri.path) else { return Response(status: .notFound) }
    return await server.respond(to: request, channel: context.channel)
  }
}
