public import NIOCore
import NIOHTTP1
import NIOWebSocket
public import SocketIOProtocol

/// One WebSocket that carries Engine.IO packets, for programs that speak Engine.IO themselves. Everything happens on its event loop.
public struct WebSocketTransport: Sendable {
  /// An event of the WebSocket.
  public enum Event: Sendable {
    case packet(EnginePacket)
    /// A JSON object instead of a packet, by which servers explain a refusal.
    case explanation(SocketIOClient.Failure)
    /// Input that is not a packet; the WebSocket must be closed.
    case garbage
    /// The WebSocket has closed.
    case closed
  }

  private enum Answer: Sendable {
    case webSocket
    /// The server refused the upgrade.
    case refusal(EventLoopFuture<SocketIOClient.Failure>)
  }

  private let channel: any Channel
  private let revision: EngineRevision

  /// Opens a WebSocket.
  /// - Parameters:
  ///   - target: Path and query of the request.
  ///   - headers: The headers of the request, without those of WebSocket itself.
  ///   - received: Called on `loop` for each event.
  /// - Throws: ``SocketIOClient/Failure``, or the error of the connection.
  public static func open(
    _ dialer: Dialer, target: String, headers: [(String, String)], on loop: any EventLoop,
    received: @escaping @Sendable (Event) -> Void
  ) async throws -> WebSocketTransport {
    let attempt = DialAttempt()
    return try await withTaskCancellationHandler {
      try await open(dialer, target, headers, on: loop, attempt, received: received)
    } onCancel: {
      attempt.cancel()
    }
  }

  private static func open(
    _ dialer: Dialer, _ target: String, _ headers: [(String, String)], on loop: any EventLoop, _ attempt: DialAttempt,
    received: @escaping @Sendable (Event) -> Void
  ) async throws -> WebSocketTransport {
    let configuration = dialer.configuration
    let deadline = NIODeadline.now() + TimeAmount(configuration.connectTimeout)
    let channel = try await dialer.dial(on: loop, until: deadline, attempt)
    let limit = loop.scheduleTask(deadline: deadline) { channel.close(promise: nil) }
    defer { limit.cancel() }
    let request = request(dialer.address, target: target, headers)
    do {
      let upgraded = try await loop.submit {
        try upgrade(channel, request, configuration, received: received)
      }.get()
      if case .refusal(let refusal) = try await upgraded.get() { throw try await refusal.get() }
    } catch {
      channel.close(promise: nil)
      throw NIODeadline.now() >= deadline ? SocketIOClient.Failure.timedOut : error
    }
    channel.closeFuture.whenComplete { _ in received(.closed) }
    return WebSocketTransport(channel: channel, revision: configuration.revision)
  }

  private static func upgrade(
    _ channel: any Channel, _ request: HTTPRequestHead, _ configuration: SocketIOClient.Configuration,
    received: @escaping @Sendable (Event) -> Void
  ) throws -> EventLoopFuture<Answer> {
    let upgrader = NIOTypedWebSocketClientUpgrader<Answer>(maxFrameSize: configuration.maxMessageBytes) { channel, _ in
      channel.eventLoop.makeCompletedFuture {
        try channel.pipeline.syncOperations.addHandlers(
          NIOWebSocketFrameAggregator(
            minNonFinalFragmentSize: 0, maxAccumulatedFrameCount: maxFragments(configuration),
            maxAccumulatedFrameSize: configuration.maxMessageBytes),
          PacketHandler(revision: configuration.revision, received: received))
        return Answer.webSocket
      }
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
    // The server's first packet may arrive in one segment with its answer to the upgrade.
    pipeline.leftOverBytesStrategy = .forwardBytes
    return try channel.pipeline.syncOperations.configureUpgradableHTTPClientPipeline(configuration: pipeline)
  }

  /// The most frames of one message. Each frame costs memory, even an empty one of 2 bytes.
  static func maxFragments(_ configuration: SocketIOClient.Configuration) -> Int {
    max(1024, configuration.maxMessageBytes / 1024)
  }

  private static func request(
    _ address: ServerAddress, target: String, _ more: [(String, String)]
  ) -> HTTPRequestHead {
    var headers = HTTPHeaders()
    headers.add(name: "Host", value: address.authority)
    headers.add(name: "Content-Length", value: "0")
    headers.add(contentsOf: more)
    return HTTPRequestHead(version: .http1_1, method: .GET, uri: target, headers: headers)
  }

  /// Whether the network accepts more data.
  var isWritable: Bool { channel.isWritable }

  /// Sends packets in one write.
  public func send(_ packets: [EnginePacket]) {
    for packet in packets { channel.write(frame(packet), promise: nil) }
    channel.flush()
  }

  /// - Returns: Completes when the network has accepted it.
  func sendWatched(_ packet: EnginePacket) -> EventLoopFuture<Void> { channel.writeAndFlush(frame(packet)) }

  private func frame(_ packet: EnginePacket) -> WebSocketFrame {
    let (opcode, bytes) =
      switch EngineFrame(packet, revision) {
      case .text(let bytes): (WebSocketOpcode.text, bytes)
      case .binary(let bytes): (WebSocketOpcode.binary, bytes)
      }
    return WebSocketFrame(fin: true, opcode: opcode, maskKey: .random(), data: channel.allocator.buffer(bytes: bytes))
  }

  /// How long sending the close frame may take when the network accepts no more bytes.
  private static let goodbyeTimeout: TimeAmount = .seconds(1)

  /// Sends a close frame and closes.
  public func close() {
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
