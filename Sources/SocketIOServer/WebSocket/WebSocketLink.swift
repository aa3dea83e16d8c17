import NIOCore
import SocketIOProtocol

/// The last handler in the pipeline of a WebSocket: bytes to messages for a session, frames to bytes.
final class WebSocketLink: ChannelDuplexHandler, TimerWheelEntry {
  typealias InboundIn = ByteBuffer
  typealias OutboundIn = ByteBuffer
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

  enum State {
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

  let shard: LoopShard
  var state: State
  var parser: WebSocketParser
  var context: ChannelHandlerContext?
  /// What inflates messages, for a client that may compress them.
  let inflater: Inflater?
  /// Whose part of the loop's time reading takes.
  let share: LoopShare?
  /// What is held back while messages wait for a further turn.
  var waiting: WaitingInput?
  /// What compresses messages, for a client that takes it.
  let deflater: Deflater?
  /// Messages must be shorter, in bytes, to be compressed.
  let maxDeflatedSize: Int
  /// The channel's own descriptor: open while the channel is active, somebody else's afterwards.
  let descriptor: CInt
  /// Whether the channel is active. To ask it at each flush costs a broadcast some 3 %.
  private(set) var isConnected = false
  /// The only frame since the last flush. It is handed to the kernel past the channel, whose bookkeeping costs a
  /// broadcast more than the rest of the way.
  var heldFrame: ByteBuffer?
  /// Whether something was written that is to be sent at the next flush.
  var isFlushDue = false
  /// Set while a pause keeps what is written.
  var pause: Pause?
  /// How many pauses there were.
  var pauses = 0
  /// Whether the channel may hold bytes, which have to go first.
  var isChannelInUse = true
  var timerPlace: TimerWheel.Place?
  /// Gives back the room that was taken for a large message.
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
    // The channel calls this as soon as it has closed its descriptor, before anybody may write.
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
