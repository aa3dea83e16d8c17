import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import Synchronization

/// Admits the HTTP/1 connections of one listener, and adds the handlers in front of the one that answers requests.
final class HTTPConnections: Sendable {
  let configuration: SocketIOServer.HTTPChannelConfiguration
  /// The server behind the listener; another one may follow it.
  private let home: @Sendable () -> any SocketHome
  private let others: (@Sendable (_ host: String?) -> (any SocketHome)?)?
  /// The number of open connections.
  private let count = Atomic(0)

  init(
    server home: @escaping @Sendable () -> any SocketHome,
    others: (@Sendable (_ host: String?) -> (any SocketHome)?)? = nil,
    configuration: SocketIOServer.HTTPChannelConfiguration
  ) {
    self.home = home
    self.others = others
    self.configuration = configuration
  }

  /// Reserves capacity for a connection; nil if there is none.
  private func reserve(_ channel: any Channel) -> ConnectionPlace? {
    guard count.add(1, ordering: .relaxed).newValue <= configuration.maxConnections,
      let release = configuration.reserveConnection.map({ $0(channel.remoteAddress) }) ?? { @Sendable in }
    else {
      count.subtract(1, ordering: .relaxed)
      return nil
    }
    return ConnectionPlace(owner: home().owner(of: channel.remoteAddress)) {
      self.count.subtract(1, ordering: .relaxed)
      release()
    }
  }

  /// Sets up an accepted connection. If there is no capacity, the future fails and the connection is closed.
  /// - Parameter complete: Adds the handlers behind those of this function. It receives the share of the loop's time of whose connection it is.
  func accept<Value: Sendable>(
    _ channel: any Channel, _ logger: Logger, _ complete: @escaping (ConnectionShare) throws -> Value
  ) -> EventLoopFuture<Value> {
    guard let place = reserve(channel) else {
      // The listener does not close a connection whose setup fails.
      channel.close(promise: nil)
      return channel.eventLoop.makeFailedFuture(TooManyConnections())
    }
    return channel.eventLoop.makeCompletedFuture {
      let home = self.home()
      // A share does not keep its owner.
      defer { withExtendedLifetime(home) {} }
      let share = home.share(of: place.owner, on: channel.eventLoop)
      let configured = {
        Result {
          let current = ConnectionShare(share)
          try self.configure(channel, place, current, logger)
          return try complete(current)
        }
      }
      let result = share.map { $0.spend(configured) } ?? configured()
      if case .failure = result { channel.close(promise: nil) }
      return try result.get()
    }
  }

  private func configure(
    _ channel: any Channel, _ place: ConnectionPlace, _ share: ConnectionShare, _ logger: Logger
  ) throws {
    var limits = NIOHTTPDecoderLimitConfiguration()
    limits.maxHeaderFieldSize = configuration.maxHeaderFieldSize
    limits.maxHeaderListSize = configuration.maxHeaderListSize
    limits.maxHeaderFieldCount = configuration.maxHeaderFieldCount
    try channel.keepUnsentBytesFew()
    let pipeline = channel.pipeline.syncOperations
    let pace = configuration.stallTimeout.map {
      PaceHandler(stallTimeout: TimeAmount($0), minBytesPerSecond: configuration.minBytesPerSecond)
    }
    if let pace { try pipeline.addHandler(pace) }
    let expectsHeader = configuration.expectsProxyHeader?(channel.remoteAddress) ?? false
    if let share = share.share {
      // Holds back at most one read, as long as the client keeps its side open.
      try channel.syncOptions?.setOption(.maxMessagesPerRead, value: 1)
      if !expectsHeader { try pipeline.addHandler(LoopShareHandler(share)) }
    }
    let connection = HTTPConnectionHandler(
      home: home, others: others, isSecure: configuration.isSecure, pace: pace, place: place)
    if expectsHeader {
      try pipeline.addHandler(
        ProxyHeaderHandler { header, context in
          try self.noteHeader(header, of: connection, share, context)
          // The client may wait before its first request, as on any connection.
          pace?.requestEnded()
        })
    }
    #if TLS
      try configuration.tls?.addHandlers(to: pipeline)
    #endif
    try pipeline.configureHTTPServerPipeline(
      withPipeliningAssistance: false,  // The handler behind takes one request after another.
      withErrorHandling: false,  // The handler behind answers invalid requests.
      withOutboundHeaderValidation: false,  // Swift HTTP Types have validated them.
      withEncoderConfiguration: .init(), withDecoderLimitConfiguration: limits)
    try pipeline.addHandler(connection)
    try pipeline.addHandler(HTTPConnectionStateHandler(idleTimeout: configuration.idleTimeout, logger: logger))
  }
}

extension HTTPConnections {
  /// Counts a connection of a proxy as the client's that the proxy names. Throws if that client has too many.
  private func noteHeader(
    _ header: ProxyHeader, of connection: HTTPConnectionHandler, _ share: ConnectionShare,
    _ context: ChannelHandlerContext
  ) throws {
    connection.proxyHeader = header
    let home = home()
    defer { withExtendedLifetime(home) {} }
    if let client = header.client {
      guard let release = configuration.reserveConnection.map({ $0(client) }) ?? { @Sendable in } else {
        throw TooManyConnections()
      }
      let former = connection.place
      connection.place = ConnectionPlace(owner: home.owner(of: client)) {
        former?.giveBack()
        release()
      }
    }
    share.use(home.share(of: connection.place?.owner, on: context.eventLoop))
    guard let share = share.share else { return }
    try context.pipeline.syncOperations.addHandler(LoopShareHandler(share), position: .after(context.handler))
  }
}

/// A reservation among the allowed connections.
final class ConnectionPlace: Sendable {
  /// The owner whose share of the loop's time the connection's work counts against.
  let owner: String?
  private let release: Mutex<(@Sendable () -> Void)?>

  init(owner: String?, _ release: @escaping @Sendable () -> Void) {
    self.owner = owner
    self.release = Mutex(release)
  }

  deinit { giveBack() }

  /// Releases the reservation. Further calls do nothing.
  func giveBack() {
    let release = release.withLock { release in
      defer { release = nil }
      return release
    }
    release?()
  }
}

private struct TooManyConnections: Error {}
