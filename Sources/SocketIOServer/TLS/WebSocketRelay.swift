#if TLS
  import NIOCore
  import NIOPosix
  import NIOSSL

  /// Copies a WebSocket's bytes between its TLS connection and a descriptor that the session's loop reads.
  ///
  /// A WebSocket without TLS leaves its HTTP connection with the descriptor, and begins anew on the loop of its session. One with
  /// TLS cannot: the keys are in the connection's pipeline. So the session's loop gets one end of a pair of sockets, and two relays,
  /// one in the pipeline behind TLS and one at the other end of the pair, hand each other what arrives. A relay reads no more while
  /// the other one cannot write, so nothing piles up between them.
  final class WebSocketRelay: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// Nil once either connection has ended.
    private var other: WebSocketRelay?
    private var context: ChannelHandlerContext?
    /// Where TLS is in the pipeline, if this relay stands behind it.
    private var tls: ChannelHandlerContext?
    /// Whether a read waits until the other one can write.
    private var isReadHeld = false

    /// Turns an HTTP connection with TLS into the carrier of a WebSocket. Nothing of HTTP is read or written on it any more.
    ///
    /// - Returns: What the session reads and writes; nil if there are no more descriptors.
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
        // TLS then asks for more by itself where what came is no whole record.
        try channel.syncOptions?.setOption(.autoRead, value: false)
        pipeline.removePace()
      } catch {
        // The connection has ended.
        end()
        return channel.close(promise: nil)
      }
      // HTTP stands behind: for it the connection is over.
      context?.fireChannelInactive()
      requestRead()
      other?.requestRead()
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { (self.context, tls) = (nil, nil) }

    // MARK: What arrives

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
      // TLS would wait for the client's farewell for seconds, which cannot come any more.
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

    /// Either connection has ended: the other one ends as well, behind what was written to it.
    private func end() {
      guard let other else { return }
      (self.other, other.other) = (nil, nil)
      other.context?.flush()
      other.context?.close(promise: nil)
    }

    // MARK: What HTTP asks for, whose connection is over

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
    /// The pace of requests is nobody's concern any more.
    fileprivate func removePace() {
      guard let pace = try? context(handlerType: PaceHandler.self) else { return }
      removeHandler(context: pace, promise: nil)
    }
  }
#endif
