#if TLS
  import NIOCore
  import NIOPosix
  import NIOSSL

  /// Copies a WebSocket's bytes between its TLS connection and a descriptor that the session's loop reads.
  ///
  /// A WebSocket without TLS takes the descriptor out of its HTTP connection and starts again on the session's loop. With TLS this is
  /// impossible, because the keys are in the connection's pipeline. So the session's loop gets one end of a socket pair. Two relays, one
  /// behind TLS and one at the other end of the pair, pass their input to each other. A relay does not read while the other one cannot
  /// write, so no data piles up between them.
  final class WebSocketRelay: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// Nil once either connection has ended.
    private var other: WebSocketRelay?
    private var context: ChannelHandlerContext?
    /// The TLS handler's context, if this relay stands behind it.
    private var tls: ChannelHandlerContext?
    /// Whether a read waits until the other relay can write.
    private var isReadHeld = false

    /// Turns an HTTP connection with TLS into the carrier of a WebSocket. From then on it carries no HTTP.
    ///
    /// - Returns: The descriptor for the session; nil if there are no more descriptors.
    static func start(on context: ChannelHandlerContext) -> CInt? {
      guard let (near, far) = socketPair() else { return nil }
      let channel = context.channel
      let outer = NIOLoopBound(WebSocketRelay(), eventLoop: context.eventLoop)
      let started = ClientBootstrap(group: context.eventLoop).channelOption(.autoRead, value: false)
        .channelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            let inner = WebSocketRelay()
            (inner.other, outer.value.other) = (outer.value, inner)
            try channel.pipeline.syncOperations.addHandler(inner)
          }
        }
        .withConnectedSocket(near)
      started.whenFailure { _ in
        outer.value.end()
        channel.close(promise: nil)
      }
      started.whenSuccess { _ in outer.value.takeOver(channel) }
      return far
    }

    private func takeOver(_ channel: any Channel) {
      let pipeline = channel.pipeline.syncOperations
      do {
        let tls = try pipeline.context(handlerType: NIOSSLServerHandler.self)
        try pipeline.addHandler(self, position: .after(tls.handler))
        self.tls = tls
        // TLS itself then requests more input if a record is incomplete.
        try channel.syncOptions?.setOption(.autoRead, value: false)
        pipeline.removePace()
      } catch {
        // The connection has ended.
        end()
        return channel.close(promise: nil)
      }
      // For the HTTP handlers behind, the connection is over.
      context?.fireChannelInactive()
      requestRead()
      other?.requestRead()
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { (self.context, tls) = (nil, nil) }

    // MARK: Receiving

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      other?.context?.write(data, promise: nil)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
      other?.context?.flush()
      requestRead()
    }

    private func requestRead() {
      guard let context, let other = other?.context else { return }
      isReadHeld = !other.channel.isWritable
      if !isReadHeld { context.read() }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
      guard let other, other.isReadHeld, context.channel.isWritable else { return }
      other.requestRead()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
      guard let event = event as? ChannelEvent, event == .inputClosed else { return }
      close(context)
      // TLS would wait some seconds for the client's close_notify, which cannot arrive any longer.
      if let tls, let options = context.channel.syncOptions, (try? options.getOption(.bufferedWritableBytes)) == 0 {
        tls.close(promise: nil)
      }
    }

    func channelInactive(context: ChannelHandlerContext) { end() }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { close(context) }

    private func close(_ context: ChannelHandlerContext) {
      context.close(promise: nil)
      end()
    }

    /// One connection has ended: the other one ends as well, after its pending output.
    private func end() {
      guard let other else { return }
      (self.other, other.other) = (nil, nil)
      other.context?.flush()
      other.context?.close(promise: nil)
    }

    // MARK: Calls of the HTTP handlers, whose connection is over

    func read(context: ChannelHandlerContext) {}

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
      promise?.fail(ChannelError.ioOnClosedChannel)
    }

    func flush(context: ChannelHandlerContext) {}

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
      promise?.succeed()
    }
  }

  extension ChannelPipeline.SynchronousOperations {
    /// Removes the check of the requests' speed.
    fileprivate func removePace() {
      guard let pace = try? context(handlerType: PaceHandler.self) else { return }
      removeHandler(context: pace, promise: nil)
    }
  }
#endif
