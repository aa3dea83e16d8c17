import NIOCore
import NIOHTTP1
import NIOWebSocket
import SocketIOProtocol

/// Reads the answer of a server that refuses a WebSocket.
final class RefusalReader: ChannelInboundHandler {
  typealias InboundIn = HTTPClientResponsePart

  /// The most bytes of the answer that are read.
  private static let maxBytes = 4096

  private let promise: EventLoopPromise<SocketIOClient.Failure>
  private var status = 0
  private var body: [UInt8] = []

  init(_ promise: EventLoopPromise<SocketIOClient.Failure>) { self.promise = promise }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head): status = Int(head.status.code)
    case .body(let bytes): body += bytes.readableBytesView.prefix(Self.maxBytes - body.count)
    case .end: promise.succeed(.init(status: status, body: body))
    }
  }

  /// Only the first result of a promise counts.
  func channelInactive(context: ChannelHandlerContext) {
    promise.succeed(.init(status: status, body: body))
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    promise.succeed(.notSocketIO("\(error)"))
  }
}

/// Turns WebSocket messages into packets, and answers the WebSocket's pings and close frames.
final class PacketHandler: ChannelInboundHandler {
  typealias InboundIn = WebSocketFrame
  typealias OutboundOut = WebSocketFrame

  private let revision: EngineRevision
  private let received: @Sendable (WebSocketTransport.Event) -> Void

  init(revision: EngineRevision, received: @escaping @Sendable (WebSocketTransport.Event) -> Void) {
    self.revision = revision
    self.received = received
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let frame = unwrapInboundIn(data)
    let bytes = Array(frame.unmaskedData.readableBytesView)
    switch frame.opcode {
    case .text: received(event(.text(bytes), explanation: bytes))
    case .binary: received(event(.binary(bytes), explanation: []))
    case .ping:
      // RFC 6455 section 5.5.3 does not require an answer to every ping. Answers to a peer that does not read would pile up.
      if context.channel.isWritable { reply(.pong, frame.unmaskedData, context) }
    case .connectionClose:
      reply(.connectionClose, frame.unmaskedData, context)
      context.close(promise: nil)
    default: break
    }
  }

  private func event(_ frame: EngineFrame, explanation: [UInt8]) -> WebSocketTransport.Event {
    if let packet = try? EnginePacket(frame: frame, revision) { return .packet(packet) }
    return SocketIOClient.Failure(explanation: explanation, status: nil).map { .explanation($0) } ?? .garbage
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }

  private func reply(_ opcode: WebSocketOpcode, _ data: ByteBuffer, _ context: ChannelHandlerContext) {
    let frame = WebSocketFrame(fin: true, opcode: opcode, maskKey: .random(), data: data)
    context.writeAndFlush(wrapOutboundOut(frame), promise: nil)
  }
}
