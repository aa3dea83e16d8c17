public import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1

extension SocketIOServer {
  /// The HTTP/1 server for a Hummingbird application on whose port this server lives as well.
  public func httpServer(configuration: HTTPChannelConfiguration = .init()) -> HTTPServerBuilder {
    HTTPServerBuilder { responder in
      SocketIOHTTPChannel(server: self, configuration: configuration, responder: responder)
    }
  }
}

/// An HTTP/1 connection out of which WebSockets can be taken at any request.
struct SocketIOHTTPChannel: HTTPChannelHandler {
  typealias Value = NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>

  let server: SocketIOServer
  let configuration: SocketIOServer.HTTPChannelConfiguration
  let responder: HTTPChannelHandler.Responder

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
    channel.eventLoop.makeCompletedFuture {
      var limits = NIOHTTPDecoderLimitConfiguration()
      limits.maxHeaderFieldSize = configuration.maxHeaderFieldSize
      limits.maxHeaderListSize = configuration.maxHeaderListSize
      limits.maxHeaderFieldCount = configuration.maxHeaderFieldCount
      let pipeline = channel.pipeline.syncOperations
      try pipeline.configureHTTPServerPipeline(
        withPipeliningAssistance: false,  // The async channel takes one request after another.
        withErrorHandling: false,  // Hummingbird answers parse errors.
        withOutboundHeaderValidation: false,  // Swift HTTP Types have done it.
        withEncoderConfiguration: .init(), withDecoderLimitConfiguration: limits)
      try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: false))
      try pipeline.addHandler(HTTPConnectionHandler(server: server))
      let idleTimeout = configuration.idleTimeout.map { Duration.nanoseconds($0.nanoseconds) }
      try pipeline.addHandler(HTTPConnectionStateHandler(idleTimeout: idleTimeout, logger: logger))
      return try NIOAsyncChannel(
        wrappingChannelSynchronously: channel, configuration: .init(isOutboundHalfClosureEnabled: true))
    }
  }

  func handle(value: Value, logger: Logger) async {
    await withTaskExecutorPreference(EventLoopTaskExecutor(value.channel.eventLoop)) {
      await handleHTTP(asyncChannel: value, logger: logger)
    }
  }
}
