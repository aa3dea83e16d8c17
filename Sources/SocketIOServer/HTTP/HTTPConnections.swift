import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import Synchronization

/// Admits the HTTP/1 connections of one listener, and sets up the handlers in front of whoever answers their requests.
final class HTTPConnections: Sendable {
  let configuration: SocketIOServer.HTTPChannelConfiguration
  private let server: SocketIOServer
  /// How many are open.
  private let count = Atomic(0)

  init(server: SocketIOServer, configuration: SocketIOServer.HTTPChannelConfiguration) {
    self.server = server
    self.configuration = configuration
  }

  /// Takes a place for a connection; nil if there is none.
  private func reserve(_ channel: any Channel) -> ConnectionPlace? {
    guard count.add(1, ordering: .relaxed).newValue <= configuration.maxConnections,
      let release = configuration.reserveConnection.map({ $0(channel.remoteAddress) }) ?? { @Sendable in }
    else {
      count.subtract(1, ordering: .relaxed)
      return nil
    }
    return ConnectionPlace(owner: server.core.configuration.connectionOwner?(channel.remoteAddress)) {
      self.count.subtract(1, ordering: .relaxed)
      release()
    }
  }

  /// Sets up a connection that was accepted. The future fails, and the connection is closed, if there is no place for it.
  /// - Parameter complete: Adds what stands behind the handlers that are added here; given the owner's share of the loop's time.
  func accept<Value: Sendable>(
    _ channel: any Channel, _ logger: Logger, _ complete: @escaping (LoopShare?) throws -> Value
  ) -> EventLoopFuture<Value> {
    guard let place = reserve(channel) else {
      // The listener leaves a connection whose setup fails to the setup.
      channel.close(promise: nil)
      return channel.eventLoop.makeFailedFuture(TooManyConnections())
    }
    server.core.opened(channel)
    return channel.eventLoop.makeCompletedFuture {
      let share = server.core.share(of: place.owner, on: channel.eventLoop)
      let configured = {
        Result {
          try self.configure(channel, place, share, logger)
          return try complete(share)
        }
      }
      let result = share.map { $0.spend(configured) } ?? configured()
      if case .failure = result { channel.close(promise: nil) }
      return try result.get()
    }
  }

  private func configure(
    _ channel: any Channel, _ place: ConnectionPlace, _ share: LoopShare?, _ logger: Logger
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
    if let share {
      // What is held back is one read's, as long as the client does not end its side.
      try channel.syncOptions?.setOption(.maxMessagesPerRead, value: 1)
      try pipeline.addHandler(LoopShareHandler(share))
    }
    #if TLS
      if let certificate = configuration.tls {
        try pipeline.addHandler(PlainTextRefusal())
        try pipeline.addHandler(certificate.makeHandler())
      }
    #endif
    try pipeline.configureHTTPServerPipeline(
      withPipeliningAssistance: false,  // Whoever stands behind takes one request after another.
      withErrorHandling: false,  // Whoever stands behind answers what cannot be parsed.
      withOutboundHeaderValidation: false,  // Swift HTTP Types have done it.
      withEncoderConfiguration: .init(), withDecoderLimitConfiguration: limits)
    try pipeline.addHandler(
      HTTPConnectionHandler(
        server: server, isSecure: configuration.isSecure, addressee: configuration.addressee, pace: pace, place: place
      ))
    try pipeline.addHandler(HTTPConnectionStateHandler(idleTimeout: configuration.idleTimeout, logger: logger))
  }
}

/// A place among those there are for connections.
final class ConnectionPlace: Sendable {
  /// Whose share of a loop's time the connection's work is counted to.
  let owner: String?
  private let release: Mutex<(@Sendable () -> Void)?>

  init(owner: String?, _ release: @escaping @Sendable () -> Void) {
    self.owner = owner
    self.release = Mutex(release)
  }

  deinit { giveBack() }

  /// Gives the place back; once, however often it is asked for.
  func giveBack() {
    let release = release.withLock { release in
      defer { release = nil }
      return release
    }
    release?()
  }
}

/// There is no place for a connection.
private struct TooManyConnections: Error {}
