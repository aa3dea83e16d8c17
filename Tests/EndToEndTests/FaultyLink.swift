import NIOCore
import Synchronization

/// Two connections that look like one to both ends.
final class FaultyLink: Sendable {
  let client: any Channel
  let server: any Channel
  private let network: FaultyNetwork
  private let state = Mutex(State())

  private struct State {
    /// The fault of the request that was read last.
    var fault: FaultyNetwork.Fault?
    var isSocket = false
    var isInBody = false
    /// Bytes so far, of the answer's body or of a request that is delayed.
    var count = 0
    var held: [ByteBuffer] = []
  }

  init(client: any Channel, server: any Channel, in network: FaultyNetwork) {
    (self.client, self.server, self.network) = (client, server, network)
  }

  func start() throws {
    try client.pipeline.syncOperations.addHandler(FaultyRelay(read: read(fromClient:), close: close))
    try server.pipeline.syncOperations.addHandler(FaultyRelay(read: read(fromServer:), close: close))
    for channel in [client, server] { channel.setOption(.autoRead, value: true).whenFailure { _ in } }
  }

  func close() {
    client.close(promise: nil)
    server.close(promise: nil)
  }

  /// Reads from the client. A request starts a buffer, because clients flush its head separately.
  private func read(fromClient buffer: ByteBuffer) {
    if let line = Self.requestLine(buffer) {
      let fault = network.fault(of: line)
      state.withLock { $0 = State(fault: fault, isSocket: line.contains(" /socket.io/")) }
    }
    let passing: ByteBuffer? = state.withLock { state in
      switch state.fault {
      case .answered: return nil
      case .delayed(let most):
        var buffer = buffer
        let passing = buffer.readSlice(length: min(buffer.readableBytes, max(0, most - state.count)))
        state.count += passing?.readableBytes ?? 0
        state.held.append(buffer)
        return passing
      case .cut, .stalled, .held, nil: return buffer
      }
    }
    if let passing { server.writeAndFlush(passing, promise: nil) }
  }

  private func read(fromServer buffer: ByteBuffer) {
    var buffer = buffer
    var isEnd = false
    let passing: ByteBuffer? = state.withLock { state in
      if state.isSocket, network.areSocketsSilent { return nil }
      guard let fault = state.fault else { return buffer }
      let most: Int
      switch fault {
      case .answered: return nil
      case .delayed: return buffer
      case .cut(let count), .stalled(let count), .held(let count): most = count
      }
      var head = 0
      if !state.isInBody {
        guard let end = buffer.readableBytesView.firstRange(of: Array("\r\n\r\n".utf8)) else { return buffer }
        head = end.upperBound - buffer.readableBytesView.startIndex
        state.isInBody = true
      }
      let passing = buffer.readSlice(length: min(buffer.readableBytes, head + max(0, most - state.count)))
      state.count += (passing?.readableBytes ?? 0) - head
      if case .held = fault, buffer.readableBytes > 0 { state.held.append(buffer) }
      if case .cut = fault { isEnd = state.count >= most }
      return passing
    }
    if let passing { client.writeAndFlush(passing, promise: nil) }
    if isEnd { close() }
  }

  /// Whether the rest of an answer is held back.
  var isHolding: Bool {
    state.withLock { if case .held = $0.fault { true } else { false } }
  }

  func release() {
    client.eventLoop.execute { [self] in
      let (released, reader) = state.withLock { state in
        defer { (state.fault, state.held) = (nil, []) }
        switch state.fault {
        case .answered(let answer): return ([ByteBuffer(string: answer)], client)
        case .delayed: return (state.held, server)
        case .cut, .stalled, .held, nil: return (state.held, client)
        }
      }
      for buffer in released { reader.writeAndFlush(buffer, promise: nil) }
    }
  }

  private static func requestLine(_ buffer: ByteBuffer) -> String? {
    guard let end = buffer.readableBytesView.firstIndex(of: UInt8(ascii: "\r")) else { return nil }
    let line = String(decoding: buffer.readableBytesView[..<end], as: UTF8.self)
    return line.hasSuffix(" HTTP/1.1") ? line : nil
  }
}

private final class FaultyRelay: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private let read: (ByteBuffer) -> Void
  private let close: () -> Void

  init(read: @escaping (ByteBuffer) -> Void, close: @escaping () -> Void) {
    self.read = read
    self.close = close
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) { read(unwrapInboundIn(data)) }
  func channelInactive(context: ChannelHandlerContext) { close() }
  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
