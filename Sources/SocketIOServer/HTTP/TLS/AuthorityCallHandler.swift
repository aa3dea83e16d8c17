#if TLS
  import NIOCore
  import NIOSSL
  import NIOTLS

  /// Finds out whether a connection is the call of an authority that verifies a name (`acme-tls/1`, RFC 8737): such a call gets the
  /// certificate that answers it, and is closed after the handshake. All other connections go on as if this handler were not there.
  ///
  /// It stands in front of TLS, and only while a proof is pending.
  final class AuthorityCallHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// How long a client may take for its first message. Then the connection goes on, with the limits of all connections.
    private static let patience: TimeAmount = .seconds(10)

    private let contexts: [String: NIOSSLContext]
    private var reader = ClientHelloReader()
    /// What was read so far. Nil once it is decided what the connection is.
    private var held: ByteBuffer? = ByteBuffer()
    private var timer: Scheduled<Void>?

    /// - Parameter contexts: By name in lower case.
    init(_ contexts: [String: NIOSSLContext]) { self.contexts = contexts }

    func handlerAdded(context: ChannelHandlerContext) {
      let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
      timer = context.eventLoop.scheduleTask(in: Self.patience) {
        let (handler, context) = bound.value
        handler.goOn(context)
      }
    }

    func handlerRemoved(context: ChannelHandlerContext) { timer?.cancel() }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      guard held != nil else { return context.fireChannelRead(data) }
      let bytes = unwrapInboundIn(data)
      held?.writeImmutableBuffer(bytes)
      switch reader.read(bytes) {
      case .incomplete: break
      case .other: goOn(context)
      case .hello(let hello):
        // The only protocol that such a call offers (RFC 8737, section 4).
        if hello.protocols == ["acme-tls/1"], let certificate = hello.serverName.flatMap({ contexts[$0] }) {
          answer(certificate, context)
        } else {
          goOn(context)
        }
      }
    }

    func channelInactive(context: ChannelHandlerContext) {
      held = nil
      timer?.cancel()
      context.fireChannelInactive()
    }

    /// Passes on what was read, and leaves.
    private func goOn(_ context: ChannelHandlerContext) {
      guard let held else { return }
      self.held = nil
      if held.readableBytes > 0 {
        context.fireChannelRead(wrapInboundOut(held))
        context.fireChannelReadComplete()
      }
      context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
    }

    private func answer(_ certificate: NIOSSLContext, _ context: ChannelHandlerContext) {
      guard let held else { return }
      self.held = nil
      do {
        let tls = NIOSSLServerHandler(context: certificate)
        // The handlers behind it, which serve clients, get nothing of this connection but its end.
        try context.pipeline.syncOperations.addHandlers([tls, EndAfterHandshake()], position: .after(self))
      } catch { return context.close(promise: nil) }
      context.fireChannelRead(wrapInboundOut(held))
      context.fireChannelReadComplete()
      context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
    }
  }

  /// Closes a TLS connection as soon as its client has seen the certificate.
  private final class EndAfterHandshake: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {}

    func channelReadComplete(context: ChannelHandlerContext) {}

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
      if case .some(.handshakeCompleted) = event as? TLSUserEvent { context.close(promise: nil) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
  }
#endif
