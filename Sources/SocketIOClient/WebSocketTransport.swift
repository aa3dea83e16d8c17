import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import NIOWebSocket
import SocketIOProtocol

/// One WebSocket that carries Engine.IO packets. Everything happens on its event loop.
struct WebSocketTransport: Sendable {
  private let channel: any Channel

  /// Opens a WebSocket.
  /// - Parameters:
  ///   - target: Path and query of the request.
  ///   - received: Called on `loop` for each packet; nil for one that is none, upon which the caller closes.
  static func open(
    _ address: ServerAddress, target: String, configuration: SocketIOClient.Configuration, on loop: any EventLoop,
    received: @escaping @Sendable (EnginePacket?) -> Void
  ) async throws -> WebSocketTransport {
    let upgrader = NIOTypedWebSocketClientUpgrader<Void>(maxFrameSize: configuration.maxMessageBytes) { channel, _ in
      channel.eventLoop.makeCompletedFuture {
        try channel.pipeline.syncOperations.addHandlers(
          NIOWebSocketFrameAggregator(
            minNonFinalFragmentSize: 0, maxAccumulatedFrameCount: configuration.maxMessageBytes,
            maxAccumulatedFrameSize: configuration.maxMessageBytes),
          PacketHandler(received: received))
      }
    }
    let tls = address.isSecure ? try NIOSSLContext(configuration: .makeClientConfiguration()) : nil
    let request = Self.request(address, target: target, configuration)
    let bootstrap = ClientBootstrap(group: loop)
      .connectTimeout(configuration.connectTimeout)
      .channelOption(.socketOption(.tcp_nodelay), value: 1)
      .channelOption(
        .writeBufferWaterMark, value: .init(low: configuration.maxWaitingBytes / 2, high: configuration.maxWaitingBytes)
      )
    let (channel, upgraded) = try await bootstrap.connect(host: address.host, port: address.port) { channel in
      channel.eventLoop.makeCompletedFuture {
        if let tls {
          let name = Self.isAddress(address.host) ? nil : address.host
          try channel.pipeline.syncOperations.addHandler(NIOSSLClientHandler(context: tls, serverHostname: name))
        }
        let upgrade = NIOTypedHTTPClientUpgradeConfiguration(
          upgradeRequestHead: request, upgraders: [upgrader],
          notUpgradingCompletionHandler: { $0.eventLoop.makeFailedFuture(UpgradeRefused()) })
        var pipeline = NIOUpgradableHTTPClientPipelineConfiguration(upgradeConfiguration: upgrade)
        // The server's first packet may come in one segment with its answer to the upgrade.
        pipeline.leftOverBytesStrategy = .forwardBytes
        let upgraded = try channel.pipeline.syncOperations.configureUpgradableHTTPClientPipeline(
          configuration: pipeline)
        return (channel, upgraded)
      }
    }
    let deadline = loop.scheduleTask(in: configuration.connectTimeout) { channel.close(promise: nil) }
    defer { deadline.cancel() }
    do {
      try await upgraded.get()
    } catch {
      channel.close(promise: nil)
      throw error
    }
    return WebSocketTransport(channel: channel)
  }

  private static func request(
    _ address: ServerAddress, target: String, _ configuration: SocketIOClient.Configuration
  ) -> HTTPRequestHead {
    var headers = HTTPHeaders()
    headers.add(name: "Host", value: address.authority)
    headers.add(name: "Content-Length", value: "0")
    headers.add(contentsOf: configuration.headers)
    return HTTPRequestHead(version: .http1_1, method: .GET, uri: target, headers: headers)
  }

  /// TLS names hosts, never addresses.
  private static func isAddress(_ host: String) -> Bool {
    (try? SocketAddress(ipAddress: host, port: 0)) != nil
  }

  /// Whether the network keeps up.
  var isWritable: Bool { channel.isWritable }

  func send(_ packets: [EnginePacket]) {
    for packet in packets {
      let (opcode, bytes) =
        switch EngineFrame(packet, .v4) {
        case .text(let bytes): (WebSocketOpcode.text, bytes)
        case .binary(let bytes): (WebSocketOpcode.binary, bytes)
        }
      let data = channel.allocator.buffer(bytes: bytes)
      channel.write(WebSocketFrame(fin: true, opcode: opcode, maskKey: .random(), data: data), promise: nil)
    }
    channel.flush()
  }

  /// Waits until the WebSocket is gone.
  func closed() async { try? await channel.closeFuture.get() }

  /// How long saying goodbye may take on a network that takes no more bytes.
  private static let goodbyeTimeout: TimeAmount = .seconds(1)

  /// Says goodbye and closes.
  func close() {
    var code = channel.allocator.buffer(capacity: 2)
    code.write(webSocketErrorCode: .normalClosure)
    let frame = WebSocketFrame(fin: true, opcode: .connectionClose, maskKey: .random(), data: code)
    let deadline = channel.eventLoop.scheduleTask(in: Self.goodbyeTimeout) { [channel] in channel.close(promise: nil) }
    channel.writeAndFlush(frame).whenComplete { [channel] _ in
      deadline.cancel()
      channel.close(promise: nil)
    }
  }
}

/// The server answered the handshake with something else than a WebSocket.
struct UpgradeRefused: Error {}

/// Turns WebSocket messages into packets, and answers the WebSocket's own pings and closing.
private final class PacketHandler: ChannelInboundHandler {
  typealias InboundIn = WebSocketFrame
  typealias OutboundOut = WebSocketFrame

  private let received: @Sendable (EnginePacket?) -> Void

  init(received: @escaping @Sendable (EnginePacket?) -> Void) { self.received = received }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let frame = unwrapInboundIn(data)
    let bytes = Array(frame.unmaskedData.readableBytesView)
    switch frame.opcode {
    case .text: received(try? EnginePacket(frame: .text(bytes), .v4))
    case .binary: received(try? EnginePacket(frame: .binary(bytes), .v4))
    case .ping: reply(.pong, frame.unmaskedData, context)
    case .connectionClose:
      reply(.connectionClose, frame.unmaskedData, context)
      context.close(promise: nil)
    default: break
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }

  private func reply(_ opcode: WebSocketOpcode, _ data: ByteBuffer, _ context: ChannelHandlerContext) {
    let frame = WebSocketFrame(fin: true, opcode: opcode, maskKey: .random(), data: data)
    context.writeAndFlush(wrapOutboundOut(frame), promise: nil)
  }
}
