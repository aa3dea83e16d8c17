import DequeModule
import NIOCore

/// Holds back input of a connection while its owner has used up its share of the loop's time. It stands in front of the handlers that take
/// time.
///
/// Input that is still held when the connection breaks, or when this side closes it, is dropped: the answer could not be delivered.
final class LoopShareHandler: ChannelInboundHandler, ChannelOutboundHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer
  typealias OutboundIn = ByteBuffer

  private let share: LoopShare
  /// The shares of the loop. Retained here, because the server may end before the connection.
  private let shares: LoopShares
  private var context: ChannelHandlerContext?
  private var held = Deque<ByteBuffer>()
  private var heldBytes = 0
  private var isOpen = true
  private var isReadCompleteHeld = false
  private var isReadHeld = false
  private var isInputClosedHeld = false

  init(_ share: LoopShare) {
    self.share = share
    shares = share.shares
  }

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    share.joined()
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    self.context = nil
    drop()
    share.left()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard held.isEmpty, share.isFree else { return hold(unwrapInboundIn(data), context) }
    guard share.isShort else { return share.spend { context.fireChannelRead(data) } }
    var rest = unwrapInboundIn(data)
    repeat {
      let piece = rest.readSlice(length: min(rest.readableBytes, LoopShare.piece)) ?? ByteBuffer()
      share.spend { context.fireChannelRead(wrapInboundOut(piece)) }
    } while isOpen && rest.readableBytes > 0 && share.isFree
    guard isOpen, rest.readableBytes > 0 else { return }
    hold(rest, context)
    context.fireChannelReadComplete()
  }

  private func hold(_ buffer: ByteBuffer, _ context: ChannelHandlerContext) {
    guard share.waitingBytes < LoopShare.maxWaitingBytes else {
      drop()
      return context.close(promise: nil)
    }
    if held.isEmpty { share.wait(passOn) }
    // Copied, because the buffer has room for the largest read.
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
      // When a shutdown is announced, the handlers behind must know all requests that remain to be answered.
      if event is ChannelShouldQuiesceEvent { _ = passOn(upTo: .max) }
      context.fireUserInboundEventTriggered(event)
    }
  }

  func channelInactive(context: ChannelHandlerContext) {
    drop()
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    drop()
    context.fireErrorCaught(error)
  }

  func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    let hasInputEnded = isInputClosedHeld && mode == .input
    if mode != .output { drop() }
    context.close(mode: mode, promise: promise)
    if hasInputEnded { context.fireUserInboundEventTriggered(ChannelEvent.inputClosed) }
  }

  private func drop() {
    isOpen = false
    held.removeAll()
    share.waitingBytes -= heldBytes
    heldBytes = 0
    (isReadCompleteHeld, isReadHeld, isInputClosedHeld) = (false, false, false)
  }

  /// Called when it is the connection's turn.
  private func passOn(upTo limit: Int) -> Int {
    guard !held.isEmpty else { return 0 }
    let done = share.spend { passBytes(upTo: limit) }
    if !held.isEmpty {
      share.wait(passOn)
      return done
    }
    if take(&isInputClosedHeld) { context?.fireUserInboundEventTriggered(ChannelEvent.inputClosed) }
    if take(&isReadHeld) { context?.read() }
    return done
  }

  private func passBytes(upTo limit: Int) -> Int {
    var done = 0
    while done < limit, var buffer = held.popFirst() {
      let size = min(buffer.readableBytes, limit - done)
      guard let bytes = buffer.readSlice(length: size) else { break }
      if buffer.readableBytes > 0 { held.prepend(buffer) }
      done += size
      heldBytes -= size
      share.waitingBytes -= size
      context?.fireChannelRead(wrapInboundOut(bytes))
    }
    // Handlers process their input when reading is complete.
    if held.isEmpty ? take(&isReadCompleteHeld) : isReadCompleteHeld { context?.fireChannelReadComplete() }
    return done
  }

  private func take(_ flag: inout Bool) -> Bool {
    defer { flag = false }
    return flag
  }
}
