import NIOCore
import SocketIOProtocol

extension WebSocketLink {
  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard isReading else { return }
    parser.append(unwrapInboundIn(data))
    // Input behind waiting messages is processed after them.
    guard waiting == nil else { return reserveHeld() }
    takeTurn()
  }

  func read(context: ChannelHandlerContext) {
    if waiting == nil { context.read() } else { waiting?.isReadHeld = true }
  }

  /// Processes input until the limit of inflated bytes for a turn is reached.
  private func takeTurn() {
    let before = inflater?.produced ?? 0
    var inflated = 0
    while isReading, inflated <= ServerCore.maxInflatedPerTurn, let event = parser.next() {
      handle(event)
      inflated = (inflater?.produced ?? 0) - before
    }
    // The compressed bytes are few: without this, only they would count against the owner's turns.
    share?.count(inflated)
    if isReading, inflated > ServerCore.maxInflatedPerTurn, parser.held > 0 { awaitTurn() } else { goOn() }
    reserveHeld()
  }

  /// Continues after the loop has done other work. Nothing more is read meanwhile.
  private func awaitTurn() {
    if waiting == nil { waiting = WaitingInput() }
    guard let share, share.isShort else { return shard.awaitTurn(self) }
    share.wait { _ in
      self.takeNextTurn()
      // The inflated bytes are counted separately.
      return 0
    }
  }

  func takeNextTurn() {
    // The answers could not be delivered, and other owners wait for the loop.
    if waiting?.isEndHeld == true, share?.isShort == true { ended(.transportClose) }
    if let share { share.spend(takeTurn) } else { takeTurn() }
  }

  /// No message waits for a turn any longer.
  private func goOn() {
    guard let waiting else { return }
    self.waiting = nil
    if waiting.isEndHeld { return ended(.transportClose) }
    if waiting.isReadHeld { context?.read() }
  }

  /// Whether the end of the connection must wait until earlier input is processed. It does not wait where ``LoopShareHandler`` would drop
  /// held input.
  func holdEnd() -> Bool {
    guard waiting != nil, isReading, share?.isShort != true else { return false }
    waiting?.isEndHeld = true
    return true
  }

  private func reserveHeld() {
    guard held > ServerCore.freeMessageSize else { return releaseMessage() }
    guard case .open(let session) = state, messageRelease == nil else { return }
    messageRelease = shard.core.reserveMessage(for: .init(session.handshake))
    if messageRelease == nil { abort() }
  }

  func releaseMessage() {
    messageRelease?()
    messageRelease = nil
  }

  /// Events that are deferred behind waiting messages.
  struct WaitingInput {
    var isReadHeld = false
    var isEndHeld = false
  }

  /// Bytes of an incomplete message, or of an incomplete event with attachments.
  private var held: Int {
    guard case .open(let session) = state, session.link === self else { return parser.held }
    return parser.held + session.socketIO.waitingBytes
  }

  private var isReading: Bool {
    switch state {
    case .closed, .halfClosed, .silent: false
    case .opening, .open, .closing: true
    }
  }

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
      guard !checkIdle() else { return abort() }
      session.lost(self, .transportClose)
      endOutput()
    case (.failure(let code), .open(let session)):
      session.lost(self, .transportError)
      endPause()
      writeThroughChannel(WebSocketFrame.close(code))
      endOutput()
    case (.close, .closing), (.failure, .closing):
      if checkIdle() { abort() } else { endOutput() }
    default:
      break
    }
  }
}
