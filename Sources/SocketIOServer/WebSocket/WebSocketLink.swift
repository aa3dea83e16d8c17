import Logging
import NIOCore
import SocketIOProtocol

/// The last handler in the pipeline of a WebSocket: bytes to messages for a session, frames to bytes.
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
    /// Our side of the connection ends behind what was written: the peer broke the protocol, or said that it goes before it had read
    /// all. What still comes is dropped, as closing with bytes unread would reset the connection, and the peer might not get to see
    /// the close frame.
    case halfClosed(deadline: Milliseconds)
    /// As if the connection were forgotten: what comes is dropped, and nothing is said until the peer closes it.
    case silent(Session)
    case closed
  }

  private let shard: LoopShard
  private var state: State
  private var parser: WebSocketParser
  private var context: ChannelHandlerContext?
  /// The channel's own descriptor: open while the channel is active.
  private let descriptor: CInt
  /// The only frame since the last flush. It is handed to the kernel past the channel, whose bookkeeping costs a
  /// broadcast more than the rest of the way.
  private var heldFrame: ByteBuffer?
  /// Whether the channel may hold bytes, which have to go first.
  private var isChannelInUse = true
  var timerPlace: TimerWheel.Place?
  /// Gives back the room that was taken for a large message.
  private var messageRelease: (@Sendable () -> Void)?

  init(shard: LoopShard, descriptor: CInt, purpose: Purpose, answer: ByteBuffer) {
    self.shard = shard
    self.descriptor = descriptor
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
    if let text { writeThroughChannel(OutboundPacket(text: Array(text.utf8)).frame) }
    startClosing(nil)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard isReading else { return }
    parser.append(unwrapInboundIn(data))
    while isReading, let event = parser.next() { handle(event) }
    guard parser.held > ServerCore.freeMessageSize else { return releaseMessage() }
    guard case .open(let session) = state, messageRelease == nil else { return }
    messageRelease = shard.core.reserveMessage(for: .init(session.handshake))
    if messageRelease == nil { abort() }
  }

  private func releaseMessage() {
    messageRelease?()
    messageRelease = nil
  }

  private var isReading: Bool {
    switch state {
    case .closed, .halfClosed, .silent: false
    case .opening, .open, .closing: true
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
    if context.channel.isWritable {
      if case .open(let session) = state { session.shrinkOversize() }
      return
    }
    context.flush()
    if isOverfull { shard.hasOverflowed(self) }
  }

  /// Whether more waits than may, beside an event that is larger than that by itself.
  private var isOverfull: Bool {
    guard let context, !context.channel.isWritable, case .open(let session) = state else { return false }
    return session.oversize == 0 || waitingBytes > shard.core.configuration.maxOutboundBytesPerSocket + session.oversize
  }

  // MARK: WebSocket events

  private func handle(_ event: WebSocketParser.Event) {
    switch (event, state) {
    case (.message(let frame), .open(let session)):
      session.received(frame, from: self)
    case (.ping, .open(let session)) where session.hasNoHeartbeat: break
    case (.ping(let payload), .open):
      writeThroughChannel(WebSocketFrame.control(.pong, payload))
      context?.flush()
    case (.close(let payload), .open(let session)):
      writeThroughChannel(WebSocketFrame.control(.close, payload))
      context?.flush()
      guard !isIdle else { return abort() }
      session.lost(self, .transportClose)
      endOutput()
    case (.failure(let code), .open(let session)):
      session.lost(self, .transportError)
      writeThroughChannel(WebSocketFrame.close(code))
      endOutput()
    case (.close, .closing), (.failure, .closing):
      if isIdle { abort() } else { endOutput() }
    default:
      break
    }
  }

  // MARK: For the session

  /// Whether nothing waits to be sent.
  var isIdle: Bool {
    if isChannelInUse, let options = context?.channel.syncOptions {
      isChannelInUse = (try? options.getOption(.bufferedWritableBytes)) != 0
    }
    return !isChannelInUse && heldFrame == nil
  }

  /// Bytes that wait to be sent.
  var waitingBytes: Int {
    let held = heldFrame?.readableBytes ?? 0
    guard isChannelInUse, let options = context?.channel.syncOptions else { return held }
    return held + ((try? options.getOption(.bufferedWritableBytes)) ?? 0)
  }

  func write(_ frame: ByteBuffer) {
    guard case .open = state else { return }
    if isIdle { heldFrame = frame } else { writeThroughChannel(frame) }
  }

  func flush() {
    guard let context else { return }
    guard var frame = heldFrame else { return context.flush() }
    heldFrame = nil
    if context.channel.isActive { frame.moveReaderIndex(forwardBy: sendAtOnce(frame, to: descriptor)) }
    guard frame.readableBytes > 0 else { return }
    writeThroughChannel(frame)
    context.flush()
  }

  private func writeThroughChannel(_ bytes: ByteBuffer) {
    guard let context else { return }
    isChannelInUse = true
    if let frame = heldFrame {
      heldFrame = nil
      context.write(wrapOutboundOut(frame), promise: nil)
    }
    context.write(wrapOutboundOut(bytes), promise: nil)
    // Past the mark already, the channel tells of no further bytes.
    if case .open(let session) = state, session.oversize > 0, isOverfull { shard.hasOverflowed(self) }
  }

  /// Closes politely; the session hears no more of it.
  func close(_ code: UInt16?) {
    if case .silent = state { return abort() }
    if case .opening = state { state = .closed }
    guard case .open = state else { return }
    startClosing(code)
  }

  func closeAsTooSlow() {
    guard isOverfull, case .open(let session) = state else { return }
    shard.core.logger.info(
      "Client closed: it does not keep up", metadata: ["sid": "\(session.id)"])
    abort()
  }

  /// Closes the connection without another word.
  func abort() {
    ended(.transportClose)
    context?.close(promise: nil)
  }

  /// Says and hears nothing from now on.
  func fallSilent() {
    guard case .open(let session) = state else { return }
    heldFrame = nil
    parser = WebSocketParser(maxMessageSize: 0)
    releaseMessage()
    state = .silent(session)
  }

  /// Closes the connection so that the peer is told of a reset.
  func reset() {
    ended(.transportError)
    _ = context?.channel.reset()
  }

  private func startClosing(_ code: UInt16?) {
    writeThroughChannel(WebSocketFrame.close(code))
    context?.flush()
    state = .closing(deadline: closeDeadline)
    shard.schedule(self)
  }

  private func endOutput() {
    context?.flush()
    context?.close(mode: .output, promise: nil)
    parser = WebSocketParser(maxMessageSize: 0)
    releaseMessage()
    state = .halfClosed(deadline: closeDeadline)
    shard.schedule(self)
  }

  private var closeDeadline: Milliseconds {
    LoopShard.now + shard.core.configuration.closeTimeout.milliseconds
  }

  private func ended(_ reason: DisconnectReason) {
    let before = state
    state = .closed
    releaseMessage()
    shard.remove(self)
    switch before {
    case .open(let session), .silent(let session): session.lost(self, reason)
    case .opening(.open(let session), _): session.close(reason)
    case .opening, .closing, .halfClosed, .closed: break
    }
  }

  // MARK: Time

  var timerDeadline: Milliseconds {
    switch state {
    case .closing(let deadline), .halfClosed(let deadline): deadline
    case .opening, .open, .silent, .closed: .max
    }
  }

  func timerFired(at now: Milliseconds) {
    abort()
  }
}
