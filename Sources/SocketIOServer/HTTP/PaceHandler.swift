import NIOCore

/// Closes connections whose request hardly arrives, or whose answer is not read. It stands before all other handlers and sees
/// bytes; ``HTTPConnectionHandler`` tells it where requests end.
final class PaceHandler: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundIn = ByteBuffer

  private let stallTimeout: TimeAmount
  private let minBytesPerSecond: Int
  /// Until when more of the request that is arriving has to come. Each byte gives time, and no store of bytes gives more of it
  /// than `stallTimeout`: what came fast buys no silence.
  private var due: NIODeadline?
  /// Bytes handed to the connection; how many of them the kernel had taken when it was last seen to take some.
  private var written = 0
  private var taken = 0
  private var lastTaken: NIODeadline
  private let now: () -> NIODeadline
  private var check: RepeatedTask?

  init(stallTimeout: TimeAmount, minBytesPerSecond: Int, now: @escaping () -> NIODeadline = NIODeadline.now) {
    self.now = now
    lastTaken = now()
    self.stallTimeout = stallTimeout
    self.minBytesPerSecond = max(1, minBytesPerSecond)
  }

  func handlerAdded(context: ChannelHandlerContext) {
    let interval = TimeAmount.nanoseconds(max(10_000_000, stallTimeout.nanoseconds / 4))
    let channel = context.channel
    let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
    check = context.eventLoop.scheduleRepeatedTask(initialDelay: interval, delay: interval) { _ in
      if bound.value.isTooSlow(channel, at: bound.value.now()) { channel.close(promise: nil) }
    }
  }

  func handlerRemoved(context: ChannelHandlerContext) { check?.cancel() }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let earned = TimeAmount.milliseconds(
      Int64(unwrapInboundIn(data).readableBytes) * 1000 / Int64(minBytesPerSecond))
    let latest = now() + stallTimeout
    due = min((due ?? latest) + earned, latest)
    context.fireChannelRead(data)
  }

  /// The request has arrived whole.
  func requestEnded() { due = nil }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    written += unwrapOutboundIn(data).readableBytes
    context.write(data, promise: promise)
  }

  private func isTooSlow(_ channel: any Channel, at now: NIODeadline) -> Bool {
    let waiting = (try? channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
    if waiting == 0 || written - waiting > taken { (taken, lastTaken) = (written - waiting, now) }
    if now - lastTaken >= stallTimeout { return true }
    return due.map { now >= $0 } ?? false
  }
}
