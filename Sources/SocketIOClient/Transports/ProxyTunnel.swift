import NIOCore
import NIOHTTP1

/// Opens a tunnel to a server through a proxy (CONNECT, RFC 9110 section 9.3.6).
enum ProxyTunnel {
  private static let codecs = (encoder: "tunnel encoder", decoder: "tunnel decoder", reader: "tunnel reader")

  /// - Throws: ``SocketIOClient/Failure/proxy(_:)``.
  static func open(_ channel: any Channel, _ proxy: SocketIOClient.Proxy, to address: ServerAddress) async throws {
    let answered = channel.eventLoop.makePromise(of: HTTPResponseStatus.self)
    channel.closeFuture.whenComplete { _ in answered.fail(SocketIOClient.Failure.proxy("it closed the connection")) }
    try await channel.eventLoop.submit {
      let pipeline = channel.pipeline.syncOperations
      try pipeline.addHandler(HTTPRequestEncoder(), name: codecs.encoder)
      try pipeline.addHandler(ByteToMessageHandler(HTTPResponseDecoder()), name: codecs.decoder)
      try pipeline.addHandler(AnswerReader(answered), name: codecs.reader)
    }.get()
    // Written at once: a server that is not a proxy may answer and close as soon as it has the head. Only the answer or the close counts.
    channel.write(HTTPClientRequestPart.head(request(proxy, address)), promise: nil)
    channel.writeAndFlush(HTTPClientRequestPart.end(nil), promise: nil)
    let status = try await answered.futureResult.get()
    guard (200..<300).contains(status.code) else { throw SocketIOClient.Failure(proxyStatus: status.code) }
    for name in [codecs.reader, codecs.decoder, codecs.encoder] { try await channel.pipeline.removeHandler(name: name) }
  }

  private static func request(_ proxy: SocketIOClient.Proxy, _ address: ServerAddress) -> HTTPRequestHead {
    var headers: HTTPHeaders = ["Host": address.hostAndPort]
    if let credentials = proxy.credentials {
      headers.add(name: "Proxy-Authorization", value: "Basic \(credentials.base64)")
    }
    return HTTPRequestHead(version: .http1_1, method: .CONNECT, uri: address.hostAndPort, headers: headers)
  }
}

/// Reports the status of the proxy's answer.
private final class AnswerReader: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPClientResponsePart

  private let answered: EventLoopPromise<HTTPResponseStatus>
  private var status: HTTPResponseStatus?

  init(_ answered: EventLoopPromise<HTTPResponseStatus>) { self.answered = answered }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head):
      status = head.status
      // The body of a refusal is ignored.
      if !(200..<300).contains(head.status.code) { answered.succeed(head.status) }
    case .body: break
    case .end: if let status { answered.succeed(status) }
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    answered.fail(SocketIOClient.Failure.proxy("it does not speak HTTP: \(error)"))
    context.close(promise: nil)
  }
}
