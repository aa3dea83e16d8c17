import NIOCore
import SocketIOProtocol

extension WebSocketLink {
  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard isReading else { return }
    parser.append(unwrapInboundIn(data))
    while isReading, let event = parser.next() { handle(event) }
    guard parser.held > ServerCore.freeMessageSize else { return releaseMessage() }
    guard case .open(let session) = state, messageRelease == nil else { return }
    messageRelease = shard.core.reserveMessage(for: .init(session.handshake))
    if messageRelease == nil { abort() }
  }

  func releaseMessage() {
    messageRelease?()
    messageRelease = nil
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
}
