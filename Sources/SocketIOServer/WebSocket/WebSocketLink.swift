import Logging
import NIOCore
import SocketIOProtocol

/// The only handler in the pipeline of a WebSocket: bytes to messages for a session, frames to bytes.
final class WebSocketLink: ChannelInboundHandler, TimerWheelEntry {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  /// What a WebSocket is for.
  enum Purpose {
    /// It opens a session.
    case open(Session)
    /// It wants to become the transport of a session.
    case upgrade(Session)
    /// It only tells the client why it cannot stay: a text, if any, and a close frame.
    case refuse(text: String?)
  }

  private enum State {
    case opening(Purpose, answer: ByteBuffer)
    case open(Session)
    /// The close frame is out; waiting for the peer's.
    case closing(deadline: Milliseconds)
    case closed
  }

  private let shard: LoopShard
  private var state: State
  private var parser: WebSocketParser
  private var context: ChannelHandlerContext?
  var timerPlace: TimerWheel.Place?

  init(shard: LoopShard, purpose: Purpose, answer: ByteBuffer) {
    self.shard = shard
    state = .opening(purpose, answer: answer)
    parser = WebSocketParser(maxMessageSize: shard.core.configuration.maxHTTPBufferSize)
  }

  // MARK: Channel events

  func channelActive(context: ChannelHandlerContext) {
    guard case .opening(let purpose, let answer) = state else { return }
    self.context = context
    shard.add(self)
    context.write(wrapOutboundOut(answer), promise: nil)
    switch purpose {
    case .open(let session):
      state = .open(session)
      session.opened(by: self)
    case .upgrade(let session):
      guard session.upgradeArrived(self) else { return refuse(nil, context) }
      state = .open(session)
    case .refuse(let text):
      refuse(text, context)
    }
    context.flush()
  }

  private func refuse(_ text: String?, _ context: ChannelHandlerContext) {
    if let text { context.write(wrapOutboundOut(OutboundPacket(text: Array(text.utf8)).frame), promise: nil) }
    startClosing(nil)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if case .closed = state { return }
    parser.append(unwrapInboundIn(data))
    while let event = parser.next() {
      handle(event)
      if case .closed = state { return }
    }
  }

  func channelInactive(context: ChannelHandlerContext) {
    ended(.transportClose)
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    self.context = nil
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    ended(.transportError)
    context.close(promise: nil)
  }

  /// The channel never came up.
  func failedToOpen() {
    if case .opening(.open(let session), _) = state { session.close(.transportError) }
    state = .closed
  }

  /// Past the high-water mark, which is the limit of what may wait for a client: it is given one more chance to take
  /// it.
  func channelWritabilityChanged(context: ChannelHandlerContext) {
    guard !context.channel.isWritable else { return }
    context.flush()
    if !context.channel.isWritable { shard.hasOverflowed(self) }
  }

  // MARK: WebSocket events

  private func handle(_ event: WebSocketParser.Event) {
    switch (event, state) {
    case (.message(let frame), .open(let session)):
      session.received(frame, from: self)
    case (.ping(let payload), .open):
      context?.writeAndFlush(wrapOutboundOut(WebSocketFrame.control(.pong, payload)), promise: nil)
    case (.close(let code), .open):
      context?.writeAndFlush(wrapOutboundOut(WebSocketFrame.close(code)), promise: nil)
      abort()
    case (.failure(let code), .open(let session)):
      session.lost(self, .transportError)
      startClosing(code)
    case (.close, .closing), (.failure, .closing):
      abort()
    default:
      break
    }
  }

  // MARK: For the session

  /// Whether nothing waits to be sent.
  var isIdle: Bool {
    guard let options = context?.channel.syncOptions else { return false }
    return (try? options.getOption(.bufferedWritableBytes)) == 0
  }

  func write(_ frame: ByteBuffer) {
    guard case .open = state else { return }
    context?.write(wrapOutboundOut(frame), promise: nil)
  }

  func flush() {
    context?.flush()
  }

  /// Closes politely; the session hears no more of it.
  func close(_ code: UInt16?) {
    if case .opening = state { state = .closed }
    guard case .open = state else { return }
    startClosing(code)
  }

  func closeAsTooSlow() {
    guard let context, !context.channel.isWritable, case .open(let session) = state else { return }
    shard.core.logger.info(
      "Client closed: it does not keep up", metadata: ["sid": "\(session.id)"])
    abort()
  }

  /// Closes the connection without another word.
  func abort() {
    ended(.transportClose)
    context?.close(promise: nil)
  }

  private func startClosing(_ code: UInt16?) {
    context?.writeAndFlush(wrapOutboundOut(WebSocketFrame.close(code)), promise: nil)
    state = .closing(deadline: LoopShard.now + shard.core.configuration.closeTimeout.milliseconds)
    shard.schedule(self)
  }

  private func ended(_ reason: DisconnectReason) {
    let before = state
    state = .closed
    shard.remove(self)
    switch before {
    case .open(let session): session.lost(self, reason)
    case .opening(.open(let session), _): session.close(reason)
    case .opening, .closing, .closed: break
    }
  }

  // MARK: Time

  var timerDeadline: Milliseconds {
    if case .closing(let deadline) = state { deadline } else { .max }
  }

  func timerFired(at now: Milliseconds) {
    abort()
  }
}
