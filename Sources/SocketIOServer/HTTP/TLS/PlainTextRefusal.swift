#if TLS
  import NIOCore

  /// Explains the mistake to clients that use plain HTTP on a port with TLS. It stands in front of TLS and looks only at the first byte.
  final class PlainTextRefusal: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private static let text = "This port accepts HTTPS only: use https:// or wss://\n"
    private static let answer =
      "HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Type: text/plain\r\nContent-Length: \(text.utf8.count)\r\n\r\n"
      + text

    private var isRefused = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      guard !isRefused else { return }
      let bytes = unwrapInboundIn(data)
      // HTTP methods begin with a capital letter; TLS records never do (RFC 8446 section 5.1).
      guard let first = bytes.readableBytesView.first, (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(first) else {
        context.fireChannelRead(data)
        return context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
      }
      isRefused = true
      context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: Self.answer)), promise: nil)
      context.close(promise: nil)
    }
  }
#endif
