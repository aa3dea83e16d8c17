import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS
import SocketIOProtocol
import Synchronization

/// Opens the connections of WebSockets: TCP, then a tunnel if there is a proxy, then TLS if the URL requires it.
public struct Dialer: Sendable {
  /// The settings for TLS; nil for a plain connection.
  struct Secured: Sendable {
    let settings: TLSConfiguration
    let context: NIOSSLContext
    let pins: Set<SocketIOClient.PublicKeyPin>
  }

  let address: ServerAddress
  let configuration: SocketIOClient.Configuration
  let secured: Secured?

  /// - Throws: ``SocketIOError/badTLS(_:)``.
  public init(_ address: ServerAddress, _ configuration: SocketIOClient.Configuration) throws(SocketIOError) {
    self.address = address
    self.configuration = configuration.clamped
    let pins = configuration.tls.pins
    guard address.isSecure else {
      // A pinned key requires TLS.
      guard pins.isEmpty else { throw .badTLS("a key is pinned, but the URL is not https") }
      secured = nil
      return
    }
    // NIOSSL compares a certificate for an address with the address of the connection, which is the proxy's.
    guard configuration.proxy == nil || !address.isNumeric else {
      throw .badTLS(
        "through a proxy, a server's certificate can be verified for a name, not for the address \(address.host)")
    }
    let settings = try configuration.tls.configuration()
    do {
      secured = Secured(settings: settings, context: try NIOSSLContext(configuration: settings), pins: pins)
    } catch {
      throw .badTLS("\(error)")
    }
  }

  /// Opens a connection.
  /// - Parameters:
  ///   - deadline: The time limit.
  ///   - attempt: Registers the channels.
  /// - Returns: A channel without handlers above TLS. Nothing was sent to the server above TLS, and the server may not send first.
  /// - Throws: ``SocketIOClient/Failure``, or the error of the connection.
  func dial(
    on loop: any EventLoop, until deadline: NIODeadline, _ attempt: DialAttempt
  ) async throws -> any Channel {
    let channel = try await connect(on: loop, attempt)
    let limit = loop.scheduleTask(deadline: deadline) { channel.close(promise: nil) }
    defer { limit.cancel() }
    do {
      if let proxy = configuration.proxy { try await ProxyTunnel.open(channel, proxy, to: address) }
      if let secured { try await secure(channel, secured) }
      return channel
    } catch {
      channel.close(promise: nil)
      throw NIODeadline.now() >= deadline ? SocketIOClient.Failure.timedOut : error
    }
  }

  private func connect(on loop: any EventLoop, _ attempt: DialAttempt) async throws -> any Channel {
    let bootstrap = ClientBootstrap(group: loop)
      .connectTimeout(TimeAmount(configuration.connectTimeout))
      .channelInitializer { attempt.add($0) }
      .channelOption(.socketOption(.tcp_nodelay), value: 1)
      .channelOption(
        .writeBufferWaterMark, value: .init(low: configuration.maxWaitingBytes / 2, high: configuration.maxWaitingBytes)
      )
    guard let proxy = configuration.proxy else {
      return try await bootstrap.connect(host: address.host, port: address.port).get()
    }
    do {
      return try await bootstrap.connect(host: proxy.host, port: proxy.port).get()
    } catch {
      throw SocketIOClient.Failure(opening: error, over: .webSocket).ofProxy
    }
  }

  private func secure(_ channel: any Channel, _ secured: Secured) async throws {
    let agreed = channel.eventLoop.makePromise(of: Void.self)
    channel.closeFuture.whenComplete { _ in agreed.fail(ChannelError.eof) }
    // TLS sends the server's name, but never an address.
    let name = address.isNumeric ? nil : address.host
    try await channel.eventLoop.submit {
      try channel.pipeline.syncOperations.addHandlers(
        NIOSSLClientHandler(context: secured.context, serverHostname: name), HandshakeWatcher(agreed))
    }.get()
    try await agreed.futureResult.get()
    try await secured.pins.check(channel).get()
  }
}

/// The channels that are being opened for one WebSocket. Connecting cannot be cancelled, but it ends when they are closed.
final class DialAttempt: Sendable {
  private struct State {
    var channels: [any Channel] = []
    var isCancelled = false
  }

  private let state = Mutex(State())

  /// - Returns: Fails if the attempt is cancelled.
  func add(_ channel: any Channel) -> EventLoopFuture<Void> {
    let isCancelled = state.withLock { state in
      state.channels.append(channel)
      return state.isCancelled
    }
    return isCancelled
      ? channel.eventLoop.makeFailedFuture(CancellationError()) : channel.eventLoop.makeSucceededVoidFuture()
  }

  func cancel() {
    let channels = state.withLock { state in
      state.isCancelled = true
      return state.channels
    }
    for channel in channels { channel.close(promise: nil) }
  }
}

/// Waits until the TLS handshake is complete, and removes itself.
private final class HandshakeWatcher: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer

  private let agreed: EventLoopPromise<Void>

  init(_ agreed: EventLoopPromise<Void>) { self.agreed = agreed }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    guard case .handshakeCompleted? = event as? TLSUserEvent else {
      return context.fireUserInboundEventTriggered(event)
    }
    agreed.succeed()
    context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    agreed.fail(error)
    context.close(promise: nil)
  }
}
