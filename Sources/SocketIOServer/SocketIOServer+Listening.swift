import HTTPTypes
public import HummingbirdCore
public import Logging
public import NIOCore
public import ServiceLifecycle

extension SocketIOServer {
  /// Answers a request. The channel is its connection.
  public typealias Respond = @Sendable (Request, any Channel) async throws -> Response

  /// Answers a long-polling request, including invalid ones.
  ///
  /// - Parameter channel: The connection of the request. If it is lost while a poll waits, the session ends.
  public func respond(to request: Request, channel: any Channel) async -> Response {
    await core.respond(to: request, channel: channel)
  }

  /// Makes the HTTP/1 server for a Hummingbird application that shares its port with this server.
  ///
  /// The application's responder runs on Swift's default executor, unless `HTTPChannelConfiguration.respondsOnEventLoop` is set. The
  /// closures in `configuration` are called on the event loop of the accepted connection: they must not block.
  public func httpServer(configuration: HTTPChannelConfiguration = .init()) -> HTTPServerBuilder {
    HTTPServerBuilder { responder in
      SocketIOHTTPChannel(
        connections: HTTPConnections(server: { [self] in self }, configuration: configuration), responder: responder)
    }
  }

  /// A service that listens at an address. `respond` answers all requests except those for WebSockets of this server; the requests of a
  /// connection in order, on its event loop: `respond` must not block. An error that it throws is answered with 500, an invalid request
  /// with 400, both without `Date`. The service throws if the address cannot be bound.
  ///
  /// - Parameters:
  ///   - sockets: Selects the server of a socket request by the request's host; `nil`: always this one. All servers use the same event
  ///     loops. A request for no server goes to `respond`.
  ///   - onRunning: Called with the port when clients can connect.
  ///   - respond: Answers a request. The response is sent unchanged: `respond` adds common fields such as `Date`.
  public func listener(
    at address: BindAddress, configuration: HTTPChannelConfiguration, logger: Logger,
    sockets: (@Sendable (_ host: String?) -> SocketIOServer?)? = nil,
    onRunning: @escaping @Sendable (Int) async -> Void, respond: @escaping Respond
  ) -> any Service {
    Self.listener(
      at: address, configuration: configuration, group: group, logger: logger, sockets: sockets, onRunning: onRunning,
      server: { [self] in self }, respond: respond)
  }

  /// A listener behind which one server may follow another; all of them use the same event loops.
  ///
  /// - Parameters:
  ///   - sockets: As for `listener` of one server.
  ///   - server: Returns the server that has the sockets now.
  ///   - respond: Answers all requests except those for WebSockets.
  public static func listener(
    at address: BindAddress, configuration: HTTPChannelConfiguration, group: any EventLoopGroup, logger: Logger,
    sockets: (@Sendable (_ host: String?) -> SocketIOServer?)? = nil,
    onRunning: @escaping @Sendable (Int) async -> Void, server: @escaping @Sendable () -> SocketIOServer,
    respond: @escaping Respond
  ) -> any Service {
    RequestListener(
      connections: HTTPConnections(server: server, others: sockets, configuration: configuration), respond: respond
    )
    .server(
      configuration: ServerConfiguration(address: address, backlog: backlog),
      onServerRunning: { await onRunning($0.localAddress?.port ?? 0) }, eventLoopGroup: group, logger: logger)
  }
}

extension SocketIOServer: SocketHome {
  func passed(_ target: String) { core.adviseOnPath(of: target) }

  func open(_ request: HTTPRequest, on connection: HTTPConnectionHandler, _ context: ChannelHandlerContext) {
    connection.upgrade(context, request, to: core)
  }

  func owner(of peer: SocketAddress?) -> String? { core.configuration.connectionOwner?(peer) }

  func share(of owner: String?, on loop: any EventLoop) -> LoopShare? { core.share(of: owner, on: loop) }
}
