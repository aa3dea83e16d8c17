import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1

/// Sets up and serves the connections of a `listener`.
struct RequestListener: ServerChildChannel {
  /// Answers a request. The channel is its connection.
  typealias Respond = @Sendable (Request, any Channel) async throws -> Response

  let connections: HTTPConnections
  let respond: Respond

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
