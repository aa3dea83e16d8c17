import NIOCore
import NIOPosix
import Synchronization
import Testing

/// A network between clients and a local server that can fail like real networks.
final class Proxy: Sendable {
  let url: String
  private let listener: any Channel
  private let state: Mutex<State>

  private struct State {
    var links: [ObjectIdentifier: Link] = [:]
  }

  private init(_ listener: any Channel, _ state: consuming State, url: String) {
    self.listener = listener
    self.state = Mutex(state)
    self.url = url
  }

  /// Runs `body` with a network to a local port.
  static func run<Result>(to port: Int, _ body: (Proxy) async throws -> Result) async throws -> Result {
    let proxy = try await start(to: port)
    do {
      let result = try await body(proxy)
      await proxy.stop()
      return result
    } catch {
      await proxy.stop()
      throw error
    }
  }

  static func start(to port: Int) async throws -> Proxy {
    let accepted = Mutex<Proxy?>(nil)
    let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .serverChannelOption(.backlog, value: 256)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelOption(.autoRead, value: false)
      .childChannelInitializer { client in
        guard let proxy = accepted.withLock(\.self) else { return client.close() }
        return proxy.link(client, port)
      }
      .bind(host: "127.0.0.1", port: 0).get()
    let own = try #require(listener.localAddress?.port)
    let proxy = Proxy(listener, State(), url: "http://127.0.0.1:\(own)")
    accepted.withLock { $0 = proxy }
    // The initializer of the listener retains the proxy while it listens.
    return proxy
  }

  func stop() async {
    try? await listener.close()
    cut()
  }

  /// Breaks all connections, as if the server's cable was pulled.
  func cut() {
    for link in links { link.close() }
  }

  /// Keeps connections open but drops all their data, like a router that forgot them. New connections work.
  func forget() {
    for link in links { link.mode.withLock { $0 = .nothing } }
  }

  /// Drops what the server sends on existing connections; data of clients arrives. New connections work.
  func loseAnswers() {
    for link in links { link.mode.withLock { $0 = .requestsOnly } }
  }

  private var links: [Link] { state.withLock { Array($0.links.values) } }

  private func link(_ client: any Channel, _ port: Int) -> EventLoopFuture<Void> {
    let upstream = ClientBootstrap(group: client.eventLoop)
      .channelOption(.autoRead, value: false)
      .connect(host: "127.0.0.1", port: port)
    upstream.whenFailure { _ in client.close(promise: nil) }
    return upstream.flatMapThrowing { [self] server in
      let link = Link(client: client, server: server)
      try client.pipeline.syncOperations.addHandler(Relay(link, isClient: true))
      try server.pipeline.syncOperations.addHandler(Relay(link, isClient: false))
      state.withLock { $0.links[ObjectIdentifier(link)] = link }
      client.closeFuture.whenComplete { [weak self] _ in
        self?.state.withLock { _ = $0.links.removeValue(forKey: ObjectIdentifier(link)) }
      }
      link.startReading()
    }
  }
}

/// Two connections that look like one to both ends.
private final class Link: Sendable {
  enum Mode { case everything, requestsOnly, nothing }

  let client: any Channel
  let server: any Channel
  let mode = Mutex(Mode.everything)

  init(client: any Channel, server: any Channel) {
    self.client = client
    self.server = server
  }

  func close() {
    client.close(promise: nil)
    server.close(promise: nil)
  }

  func startReading() {
    for channel in [client, server] { channel.setOption(.autoRead, value: true).whenFailure { _ in } }
  }
}

private final class Relay: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private let link: Link
  private let isClient: Bool

  init(_ link: Link, isClient: Bool) {
    self.link = link
    self.isClient = isClient
  }

  private var carries: Bool {
    switch link.mode.withLock(\.self) {
    case .everything: true
    case .requestsOnly: isClient
    case .nothing: false
    }
  }

  private var peer: any Channel { isClient ? link.server : link.client }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if carries { peer.writeAndFlush(unwrapInboundIn(data), promise: nil) }
  }

  func channelInactive(context: ChannelHandlerContext) {
    if carries { peer.close(promise: nil) }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
