import Foundation
import NIOCore
import NIOPosix
import NIOSSL
import SocketIOClient
import Synchronization
import Testing

/// A program between a client and a server: a proxy that opens tunnels, or a TLS endpoint. It records the clients' bytes.
final class Relay: Sendable {
  enum Kind: Sendable {
    /// Accepts TLS connections and forwards their content to this port without TLS.
    case tls(NIOSSLContext, to: Int)
    /// Opens tunnels (CONNECT) for clients with these credentials, in Base64; nil means without credentials.
    case proxy(credentials: String?)
    /// Forwards connections to this port.
    case plain(to: Int)
    /// Sends this text to every connection.
    case answering(String)
  }

  let port: Int
  private let listener: any Channel
  private let heardBytes = Mutex<[UInt8]>([])

  private init(_ listener: any Channel, _ port: Int) {
    (self.listener, self.port) = (listener, port)
  }

  /// The clients' bytes, without TLS.
  var heard: String { heardBytes.withLock { String(decoding: $0, as: UTF8.self) } }

  /// The heads of all requests with this prefix.
  func requests(_ beginning: String) -> [String] {
    heard.components(separatedBy: "\r\n\r\n").filter { $0.contains(beginning) }
  }

  static func with(_ kind: Kind, _ body: (Relay) async throws -> Void) async throws {
    let started = Mutex<Relay?>(nil)
    let hear = { @Sendable (bytes: ByteBuffer) -> Void in
      started.withLock(\.self)?.heardBytes.withLock { $0 += Array(bytes.readableBytesView) }
    }
    let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelOption(.autoRead, value: false)
      .childChannelInitializer { client in
        switch kind {
        case .plain(let port): Self.glue(client, to: port, hear)
        case .answering(let answer):
          client.eventLoop.makeCompletedFuture {
            try client.pipeline.syncOperations.addHandler(Parrot(answer, hear))
          }.flatMap { client.setOption(.autoRead, value: true) }
        case .tls(let context, let port):
          client.eventLoop.makeCompletedFuture {
            try client.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
          }.flatMap { Self.glue(client, to: port, hear) }
        case .proxy(let credentials):
          client.eventLoop.makeCompletedFuture {
            try client.pipeline.syncOperations.addHandler(Concierge(credentials, hear))
          }.flatMap { client.setOption(.autoRead, value: true) }
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    let relay = Relay(listener, try #require(listener.localAddress?.port))
    started.withLock { $0 = relay }
    let result: Result<Void, any Error>
    do { result = .success(try await body(relay)) } catch { result = .failure(error) }
    started.withLock { $0 = nil }
    try await listener.close()
    try result.get()
  }

  /// Connects to a port and forwards in both directions.
  fileprivate static func glue(
    _ client: any Channel, to port: Int, _ hear: @escaping @Sendable (ByteBuffer) -> Void
  ) -> EventLoopFuture<Void> {
    ClientBootstrap(group: client.eventLoop).connect(host: "127.0.0.1", port: port).flatMap { server in
      client.eventLoop.makeCompletedFuture {
        try client.pipeline.syncOperations.addHandler(Glue(server, hear))
        try server.pipeline.syncOperations.addHandler(Glue(client) { _ in })
      }.flatMap { client.setOption(.autoRead, value: true) }
    }
  }
}

/// Sends one text to every connection.
private final class Parrot: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private let answer: String
  private let hear: @Sendable (ByteBuffer) -> Void

  init(_ answer: String, _ hear: @escaping @Sendable (ByteBuffer) -> Void) { (self.answer, self.hear) = (answer, hear) }

  func channelActive(context: ChannelHandlerContext) {
    context.channel.writeAndFlush(ByteBuffer(string: answer), promise: nil)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) { hear(unwrapInboundIn(data)) }
}

private final class Glue: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private let other: any Channel
  private let hear: @Sendable (ByteBuffer) -> Void

  init(_ other: any Channel, _ hear: @escaping @Sendable (ByteBuffer) -> Void) {
    (self.other, self.hear) = (other, hear)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let bytes = unwrapInboundIn(data)
    hear(bytes)
    other.writeAndFlush(bytes, promise: nil)
  }

  func channelInactive(context: ChannelHandlerContext) { other.close(promise: nil) }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}

/// Reads the CONNECT request of a client.
private final class Concierge: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer

  private let credentials: String?
  private let hear: @Sendable (ByteBuffer) -> Void
  private var head = ""

  init(_ credentials: String?, _ hear: @escaping @Sendable (ByteBuffer) -> Void) {
    (self.credentials, self.hear) = (credentials, hear)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let bytes = unwrapInboundIn(data)
    hear(bytes)
    head += String(buffer: bytes)
    guard head.hasSuffix("\r\n\r\n") else { return }
    let target = head.split(separator: " ").dropFirst().first ?? ""
    guard head.hasPrefix("CONNECT "), let port = target.split(separator: ":").last.flatMap({ Int($0) }) else {
      return Self.answer("400 Bad Request\r\nContent-Length: 3\r\n\r\nno!", context.channel)
    }
    let shown = head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("proxy-authorization: basic ") }
    guard credentials == nil || shown?.hasSuffix(" \(credentials ?? "")") == true else {
      return Self.answer("407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n", context.channel)
    }
    let channel = context.channel
    context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
    // No input arrives before the client has its answer.
    Relay.glue(channel, to: port, hear).whenComplete { result in
      switch result {
      case .success: Self.answer("200 Connection established\r\n\r\n", channel)
      case .failure: channel.close(promise: nil)
      }
    }
  }

  private static func answer(_ text: String, _ channel: any Channel) {
    channel.writeAndFlush(ByteBuffer(string: "HTTP/1.1 \(text)"), promise: nil)
  }
}
