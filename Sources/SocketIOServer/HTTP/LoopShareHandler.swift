import DequeModule
import NIOCore

/// Holds back what a connection has sent while its owner has had its share of the loop's time. It stands in front of all that
/// costs any.
final class LoopShareHandler: ChannelInboundHandler, ChannelOutboundHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer
  typealias OutboundIn = ByteBuffer

  let share: LoopShare
  private var context: ChannelHandlerContext?
  private var held = Deque<ByteBuffer>()
  private var heldBytes = 0
  private var isReadCompleteHeld = false
  private var isReadHeld = false
  private var isInputClosedHeld = false

  init(_ share: LoopShare) { self.share = share }

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    share.joined()
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    self.context = nil
    share.waitingBytes -= heldBytes
    heldBytes = 0
    share.left()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard held.isEmpty, share.isFree else { return hold(unwrapInboundIn(data), context) }
    share.spend { context.fireChannelRead(data) }
  }

  private func hold(_ buffer: ByteBuffer, _ context: ChannelHandlerContext) {
    if held.isEmpty { share.wait(self) }
    // The buffer has room for the largest read.
    held.append(context.channel.allocator.buffer(buffer: buffer))
    heldBytes += buffer.readableBytes
    share.waitingBytes += buffer.readableBytes
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    if held.isEmpty { context.fireChannelReadComplete() } else { isReadCompleteHeld = true }
  }

  func read(context: ChannelHandlerContext) {
    if held.isEmpty { context.read() } else { isReadHeld = true }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if !held.isEmpty, let event = event as? ChannelEvent, event == .inputClosed {
      isInputClosedHeld = true
    } else {
      context.fireUserInboundEventTriggered(event)
    }
  }

  /// What came before the end comes before it.
  func channelInactive(context: ChannelHandlerContext) {
    isReadHeld = false
    passOn()
    context.fireChannelInactive()
  }

  /// The connection's turn has come.
  func passOn() {
    guard !held.isEmpty else { return }
    share.spend {
      while let buffer = held.popFirst() {
        heldBytes -= buffer.readableBytes
        share.waitingBytes -= buffer.readableBytes
        context?.fireChannelRead(wrapInboundOut(buffer))
      }
      if take(&isReadCompleteHeld) { context?.fireChannelReadComplete() }
    }
    if take(&isInputClosedHeld) { context?.fireUserInboundEventTriggered(ChannelEvent.inputClosed) }
    if take(&isReadHeld) { context?.read() }
  }

  private func take(_ flag: inout Bool) -> Bool {
    defer { flag = false }
    return flag
  }
}
