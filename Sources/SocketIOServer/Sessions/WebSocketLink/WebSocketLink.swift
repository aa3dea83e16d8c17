import NIOCore
import SocketIOProtocol

/// The last handler in the pipeline of a WebSocket: it parses bytes to messages for a session, and writes frames.
final class WebSocketLink: ChannelDuplexHandler, TimerWheelEntry {
  typealias InboundIn = ByteBuffer
  typealias OutboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  /// The purpose of a WebSocket.
  enum Purpose {
    /// It opens a session.
    case open(Session)
    /// It wants to become the transport of a session.
    case upgrade(Session)
    /// It only explains to the client why it is refused: by a text, if there is one, and a close frame.
    case refuse(text: String?)
  }

  enum State {
    case opening(Purpose, answer: ByteBuffer)
    case open(Session)
    /// The close frame was sent; waits for the peer's.
    case closing(deadline: Milliseconds)
    /// Our side of the connection ends after pending output, because the peer broke the protocol, or closed before it had read everything.
    /// Further input is dropped rather than left unread: closing with unread bytes would reset the connection, and the peer might not
    /// receive the close frame.
    case halfClosed(deadline: Milliseconds)
    /// As if the connection were forgotten: input is dropped, and nothing is sent until the peer closes it.
    case silent(Session)
    case closed
  }

  let shard: LoopShard
  var state: State
  var parser: WebSocketParser
  var context: ChannelHandlerContext?
  /// Inflates messages of a client that may compress them.
  let inflater: Inflater?
  /// The share of the loop's time that reading counts against.
  let share: LoopShare?
  /// Input that is deferred while messages wait for another turn.
  var waiting: WaitingInput?
  /// Compresses messages for a client that accepts it.
  let deflater: Deflater?
  /// The size in bytes below which messages are compressed.
  let maxDeflatedSize: Int
  /// The channel's own descriptor: valid while the channel is active; afterwards the number may be reused.
  let descriptor: CInt
  /// Whether the channel is active. Asking the channel at each flush would cost a broadcast about 3 %.
  private(set) var isConnected = false
  /// The only frame since the last flush. It is sent to the kernel directly: the channel's bookkeeping costs a broadcast more than all
  /// other steps.
  var heldFrame: ByteBuffer?
  /// Whether there is output for the next flush.
  var isFlushDue = false
  /// Set while a pause keeps output back.
  var pause: Pause?
  /// How many pauses there were.
  var pauses = 0
  /// Whether the channel may hold bytes, which must be sent first.
  var isChannelInUse = true
  var timerPlace: TimerWheel.Place?
  /// Releases the reservation for a large message.
  var messageRelease: (@Sendable () -> Void)?

  init(
    shard: LoopShard, descriptor: CInt, purpose: Purpose, answer: ByteBuffer, deflation: LinkDeflation? = nil,
    share: LoopShare? = nil
  ) {
    self.shard = shard
    self.descriptor = descriptor
    state = .opening(purpose, answer: answer)
    self.share = share
    inflater = deflation?.streams.inflater
    deflater = deflation?.streams.deflater
    maxDeflatedSize = deflation?.maxMessageSize ?? 0
    parser = WebSocketParser(
      maxMessageSize: shard.core.configuration.maxHTTPBufferSize, inflater: inflater)
  }

  // MARK: Channel events

  func channelActive(context: ChannelHandlerContext) {
    isConnected = true
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

  func channelInactive(context: ChannelHandlerContext) {
    // The channel calls this right after closing its descriptor, before any other write.
    isConnected = false
    guard !holdEnd() else { return }
    ended(.transportClose)
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    isConnected = false
    self.context = nil
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    ended(.transportError)
    context.close(promise: nil)
  }

  /// The channel could not be opened.
  func failedToOpen() {
    if case .opening(.open(let session), _) = state { session.close(.transportError) }
    state = .closed
  }

  /// Called above the high-water mark, which is the limit of waiting bytes for a client. A last flush lets the client take them.
  func channelWritabilityChanged(context: ChannelHandlerContext) {
    if context.channel.isWritable {
      if case .open(let session) = state { session.shrinkOversize() }
      return
    }
    context.flush()
    if isOverfull { shard.hasOverflowed(self) }
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
