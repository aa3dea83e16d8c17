import NIOCore
import NIOPosix
import SocketIOSupport
import Synchronization

/// A WebSocket client in `/bench` that only records when the numbered events of a broadcast arrive.
final class FanoutClient: ChannelInboundHandler, Sendable {
  typealias InboundIn = ByteBuffer

  private struct State {
    var bytes = ByteBuffer()
    var isOpen = false
    var arrivals: [ContinuousClock.Instant] = []
    var disorder = 0
  }

  private let state = Mutex(State())
  private let room: String?

  private init(joining room: String?) {
    self.room = room
  }

  /// When each event arrived, in order.
  var arrivals: [ContinuousClock.Instant] { state.withLock { $0.arrivals } }
  /// Events that arrived twice, late or not at all before a later one.
  var disorder: Int { state.withLock { $0.disorder } }

  /// Connects. The client joins `/bench` when the handshake is answered.
  ///
  /// - Parameter room: The room to join, if any.
  static func connect(_ port: Int, joining room: String? = nil, receiveBuffer: Int? = nil) async throws -> (
    FanoutClient, any Channel
  ) {
    let client = FanoutClient(joining: room)
    var bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(client) }
      }
    if let receiveBuffer { bootstrap = bootstrap.channelOption(.socketOption(.so_rcvbuf), value: receiveBuffer) }
    let channel = try await bootstrap.connect(host: "127.0.0.1", port: port).get()
    var head = "GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: a\r\n"
    for (name, value) in RawWebSocket.handshakeFields { head += "\(name): \(value)\r\n" }
    try await channel.writeAndFlush(ByteBuffer(string: "\(head)\r\n"))
    return (client, channel)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let now = ContinuousClock.now
    var answers: [[UInt8]] = []
    state.withLock { state in
      state.bytes.writeImmutableBuffer(unwrapInboundIn(data))
      if !state.isOpen {
        guard Self.skipHead(&state.bytes) else { return }
        state.isOpen = true
        // A client must not send frames before this (RFC 6455, 4.1): they would be taken for a part of the request.
        answers.append(Array("40/bench,".utf8))
        if let room { answers.append(Array(#"42/bench,["join","\#(room)"]"#.utf8)) }
      }
      while let text = Self.frame(&state.bytes) {
        if text == "2" { answers.append(Array("3".utf8)) }
        guard let number = Self.number(text) else { continue }
        if number != state.arrivals.count { state.disorder += 1 }
        state.arrivals.append(now)
      }
      state.bytes.discardReadBytes()
    }
    guard !answers.isEmpty else { return }
    let frames = answers.flatMap { RawWebSocket.frame(0x81, $0) }
    context.writeAndFlush(NIOAny(ByteBuffer(bytes: frames)), promise: nil)
  }

  private static func skipHead(_ bytes: inout ByteBuffer) -> Bool {
    guard let end = bytes.readableBytesView.firstRange(of: Array("\r\n\r\n".utf8)) else { return false }
    bytes.moveReaderIndex(to: end.upperBound)
    return true
  }

  /// The number of a broadcast event.
  private static func number(_ text: String) -> Int? {
    let start = #"42/bench,["tick","#
    return text.hasPrefix(start) ? Int(text.dropFirst(start.count).dropLast()) : nil
  }

  private static func frame(_ bytes: inout ByteBuffer) -> String? {
    var rest = bytes
    guard let head = rest.readBytes(length: 2) else { return nil }
    var length = Int(head[1] & 0x7f)
    if length == 126 {
      guard let extended: UInt16 = rest.readInteger() else { return nil }
      length = Int(extended)
    } else if length == 127 {
      guard let extended: UInt64 = rest.readInteger() else { return nil }
      length = Int(extended)
    }
    guard let payload = rest.readString(length: length) else { return nil }
    bytes = rest
    return payload
  }
}
