import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import ServiceLifecycle

extension SocketIOServer {
  /// Answers a request. The channel is its connection.
  package typealias Respond = @Sendable (Request, any Channel) async throws -> Response

  /// A service that listens at an address. `respond` answers all requests except those for WebSockets of this server; the requests of a
  /// connection in order, on its event loop: `respond` must not block. An error that it throws is answered with 500, an invalid request
  /// with 400, both without `Date`. The service throws if the address cannot be bound.
  ///
  /// - Parameters:
  ///   - onRunning: Called with the port when clients can connect.
  ///   - respond: Answers a request. The response is sent unchanged: `respond` adds common fields such as `Date`.
  package func listener(
    at address: BindAddress, configuration: HTTPChannelConfiguration, logger: Logger,
    onRunning: @escaping @Sendable (Int) async -> Void, respond: @escaping Respond
  ) -> any Service {
    Self.listener(
      at: address, configuration: configuration, group: group, logger: logger, onRunning: onRunning,
      server: { [self] in self }, respond: respond)
  }

  /// A listener behind which one server may follow another; all of them use the same event loops.
  ///
  /// - Parameters:
  ///   - server: The one that has the sockets now.
  ///   - respond: Answers all requests but those for WebSockets.
  package static func listener(
    at address: BindAddress, configuration: HTTPChannelConfiguration, group: any EventLoopGroup, logger: Logger,
    onRunning: @escaping @Sendable (Int) async -> Void, server: @escaping @Sendable () -> SocketIOServer,
    respond: @escaping Respond
  ) -> any Service {
    RequestListener(connections: HTTPConnections(server: server, configuration: configuration), respond: respond)
      .server(
        configuration: ServerConfiguration(address: address, backlog: backlog),
        onServerRunning: { await onRunning($0.localAddress?.port ?? 0) }, eventLoopGroup: group, logger: logger)
  }
}

/// Sets up and serves the connections of a `listener`.
struct RequestListener: ServerChildChannel {
  let connections: HTTPConnections
  let respond: SocketIOServer.Respond

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<RequestConnection> {
    connections.accept(channel, logger) { share in
      let handler = RequestHandler(connections.configuration)
      try channel.pipeline.syncOperations.addHandler(handler)
      return RequestConnection(channel, handler, share)
    }
  }

  func handle(value: RequestConnection, logger: Logger) async {
    await withTaskExecutorPreference(value.executor) {
      await withTaskCancellationHandler {
        await serve(value, logger)
      } onCancel: {
        value.channel.eventLoop.execute { value.handler.value.cancel() }
      }
    }
  }

  /// Answers the requests in order until the connection ends.
  private func serve(_ connection: RequestConnection, _ logger: Logger) async {
    let handler = connection.handler.value
    var isBroken = false
    do {
      while let head = try await handler.nextHead() {
        let body =
          handler.takeWholeBody().map { RequestBody(buffer: $0) }
          ?? RequestBody(asyncSequence: RequestBodyParts(request: handler.requestNumber, of: connection))
        var response = try await response(to: Request(head: head, body: body), connection, logger)
        if head.method == .head { response = response.createHeadResponse() }
        try handler.begin(response)
        do {
          try await response.body.write(ConnectionBodyWriter(connection: connection))
          try handler.requireEnd()
        } catch {
          // The announced response cannot be sent; only closing the connection tells the client.
          try? handler.flushBeginning()
          connection.channel.close(promise: nil)
          break
        }
        if head.isLast { break }
      }
    } catch is HTTPParserError {
      try? handler.begin(Response(status: .badRequest, headers: [.connection: "close"]))
      try? await handler.writeEnd(nil)
    } catch {
      isBroken = true
    }
    // With TLS the output must end first: otherwise the close would wait for the client's close_notify, which may never arrive.
    await handler.endResponses()
    // A cancelled task does not wait for clients.
    if isBroken || Task.isCancelled { connection.channel.close(promise: nil) }
    try? await connection.channel.closeFuture.get()
  }

  private func response(
    to request: Request, _ connection: RequestConnection, _ logger: Logger
  ) async throws -> Response {
    do {
      return try await respond(request, connection.channel)
    } catch let error as HTTPParserError {
      throw error
    } catch {
      logger.debug("a request got no answer", metadata: ["error": "\(error)"])
      return Response(status: .internalServerError)
    }
  }
}
