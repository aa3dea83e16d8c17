import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import NIOWebSocket
import SocketIOProtocol

/// One WebSocket that carries Engine.IO packets. Everything happens on its event loop.
package struct WebSocketTransport: Sendable {
  /// What comes by it.
  package enum Event: Sendable {
    case packet(EnginePacket)
    /// A JSON object instead of a packet: servers say so why they refuse.
    case explanation(SocketIOClient.Failure)
    /// Something that is no packet, upon which the WebSocket is to be closed.
    case garbage
    /// It is gone.
    case closed
  }

  private enum Answer: Sendable {
    case webSocket
    /// The server answered the handshake with something else.
    case refusal(EventLoopFuture<SocketIOClient.Failure>)
  }

  private let channel: any Channel
  private let revision: EngineRevision

  /// Opens a WebSocket.
  /// - Parameters:
  ///   - target: Path and query of the request.
  ///   - received: Called on `loop` for each event.
  /// - Throws: ``SocketIOClient/Failure``, or why the connection failed.
  package static func open(
    _ address: ServerAddress, target: String, configuration: SocketIOClient.Configuration, on loop: any EventLoop,
    received: @escaping @Sendable (Event) -> Void
  ) async throws -> WebSocketTransport {
    let upgrader = NIOTypedWebSocketClientUpgrader<Answer>(maxFrameSize: configuration.maxMessageBytes) { channel, _ in
      channel.eventLoop.makeCompletedFuture {
        try channel.pipeline.syncOperations.addHandlers(
          NIOWebSocketFrameAggregator(
            minNonFinalFragmentSize: 0, maxAccumulatedFrameCount: configuration.maxMessageBytes,
            maxAccumulatedFrameSize: configuration.maxMessageBytes),
          PacketHandler(revision: configuration.revision, received: received))
        return Answer.webSocket
      }
    }
    let tls = address.isSecure ? try NIOSSLContext(configuration: .makeClientConfiguration()) : nil
    let request = Self.request(address, target: target, configuration)
    let bootstrap = ClientBootstrap(group: loop)
      .connectTimeout(TimeAmount(configuration.connectTimeout))
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
          notUpgradingCompletionHandler: { channel in
            let refusal = channel.eventLoop.makePromise(of: SocketIOClient.Failure.self)
            return channel.eventLoop.makeCompletedFuture {
              try channel.pipeline.syncOperations.addHandler(RefusalReader(refusal))
              return .refusal(refusal.futureResult)
            }
          })
        var pipeline = NIOUpgradableHTTPClientPipelineConfiguration(upgradeConfiguration: upgrade)
        // The server's first packet may come in one segment with its answer to the upgrade.
        pipeline.leftOverBytesStrategy = .forwardBytes
        let upgraded = try channel.pipeline.syncOperations.configureUpgradableHTTPClientPipeline(
          configuration: pipeline)
        return (channel, upgraded)
      }
    }
    let deadline = loop.scheduleTask(in: TimeAmount(configuration.connectTimeout)) { channel.close(promise: nil) }
    defer { deadline.cancel() }
    do {
      if case .refusal(let refusal) = try await upgraded.get() { throw try await refusal.get() }
    } catch {
      channel.close(promise: nil)
      throw error
    }
    channel.closeFuture.whenComplete { _ in received(.closed) }
    return WebSocketTransport(channel: channel, revision: configuration.revision)
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

  package func send(_ packets: [EnginePacket]) {
    for packet in packets {
      let (opcode, bytes) =
        switch EngineFrame(packet, revision) {
        case .text(let bytes): (WebSocketOpcode.text, bytes)
        case .binary(let bytes): (WebSocketOpcode.binary, bytes)
        }
      let data = channel.allocator.buffer(bytes: bytes)
      channel.write(WebSocketFrame(fin: true, opcode: opcode, maskKey: .random(), data: data), promise: nil)
    }
    channel.flush()
  }

  /// How long saying goodbye may take on a network that takes no more bytes.
  private static let goodbyeTimeout: TimeAmount = .seconds(1)

  /// Says goodbye and closes.
  package func close() {
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

/// Reads the answer of a server that opens no WebSocket.
private final class RefusalReader: ChannelInboundHandler {
  typealias InboundIn = HTTPClientResponsePart

  /// As much of the answer as is read.
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

  /// Only the first outcome of a promise counts.
  func channelInactive(context: ChannelHandlerContext) {
    promise.succeed(.init(status: status, body: body))
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    promise.succeed(.notSocketIO("\(error)"))
  }
}

/// Turns WebSocket messages into packets, and answers the WebSocket's own pings and closing.
private final class PacketHandler: ChannelInboundHandler {
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
    case .ping: reply(.pong, frame.unmaskedData, context)
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
