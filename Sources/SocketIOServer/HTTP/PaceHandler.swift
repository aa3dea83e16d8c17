import NIOCore

/// Closes connections whose request arrives too slowly, or whose answer is not read. It stands in front of all other handlers and sees
/// bytes; ``HTTPConnectionHandler`` notifies it when requests end.
final class PaceHandler: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundIn = ByteBuffer

  private let stallTimeout: TimeAmount
  private let minBytesPerSecond: Int
  /// The deadline for more bytes of the current request; nil if none are expected. Each byte extends it, but never beyond `stallTimeout`
  /// from now, so that fast bytes do not allow a longer silence later.
  private var due: NIODeadline?
  /// Bytes written to the connection so far.
  private var written = 0
  /// How many of these bytes the kernel had accepted at `lastTaken`.
  private var taken = 0
  /// When the kernel was last seen to accept bytes, or no bytes waited for it.
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

  /// The request has arrived completely.
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
