import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS
import Testing

/// A server that accepts a connection, with or without TLS, and then does not read from it.
final class DeafServer: Sendable {
  /// How a connection ended.
  struct End: Sendable {
    /// How many bytes arrived before.
    let count: Int
    let wasReset: Bool
  }

  let url: String
  private let listener: any Channel
  private let end: EventLoopFuture<End>

  private init(_ listener: any Channel, url: String, _ end: EventLoopFuture<End>) {
    (self.listener, self.url, self.end) = (listener, url, end)
  }

  /// Starts a server for a single connection.
  static func start(tls: NIOSSLContext?) async throws -> DeafServer {
    let loop = MultiThreadedEventLoopGroup.singleton.next()
    let end = loop.makePromise(of: End.self)
    let listener = try await ServerBootstrap(group: loop)
      .serverChannelOption(.socketOption(.so_rcvbuf), value: 4096)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          let pipeline = channel.pipeline.syncOperations
          try pipeline.addHandler(Counter(end: end))
          if let tls {
            try pipeline.addHandler(NIOSSLServerHandler(context: tls))
            try pipeline.addHandler(Deafener())
          } else {
            try channel.syncOptions?.setOption(.autoRead, value: false)
          }
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    let port = try #require(listener.localAddress?.port)
    return DeafServer(listener, url: "\(tls == nil ? "http" : "https")://127.0.0.1:\(port)", end.futureResult)
  }

  /// How the connection ended, although nothing was read; nil if it does not end within the time.
  func ended(within time: TimeAmount) async throws -> End? {
    let first = end.eventLoop.makePromise(of: End?.self)
    end.map { $0 }.cascade(to: first)
    let limit = end.eventLoop.scheduleTask(in: time) { first.succeed(nil) }
    defer { limit.cancel() }
    return try await first.futureResult.get()
  }

  func close() async throws { try await listener.close() }
}

/// Counts the bytes of a connection.
private final class Counter: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private let end: EventLoopPromise<DeafServer.End>
  private var count = 0

  init(end: EventLoopPromise<DeafServer.End>) { self.end = end }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    count += unwrapInboundIn(data).readableBytes
    context.fireChannelRead(data)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    end.succeed(.init(count: count, wasReset: (error as? IOError)?.errnoCode == ECONNRESET))
  }

  func channelInactive(context: ChannelHandlerContext) {
    end.succeed(.init(count: count, wasReset: false))
    context.fireChannelInactive()
  }
}

/// Stops reading after the TLS handshake.
private final class Deafener: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if let event = event as? TLSUserEvent, case .handshakeCompleted = event {
      context.channel.setOption(.autoRead, value: false).whenFailure { _ in }
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {}
}
