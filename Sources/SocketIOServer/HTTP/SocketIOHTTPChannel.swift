public import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import Synchronization

extension SocketIOServer {
  /// The HTTP/1 server for a Hummingbird application on whose port this server lives as well.
  ///
  /// The application's responder runs where Swift's tasks do, unless `HTTPChannelConfiguration.respondsOnEventLoop` is set. What
  /// `configuration` holds as closures is called on the event loop of the connection that is accepted: it must not block.
  public func httpServer(configuration: HTTPChannelConfiguration = .init()) -> HTTPServerBuilder {
    HTTPServerBuilder { responder in
      SocketIOHTTPChannel(server: self, configuration: configuration, responder: responder)
    }
  }
}

/// An HTTP/1 connection out of which WebSockets can be taken at any request.
final class SocketIOHTTPChannel: HTTPChannelHandler {
  typealias HTTPConnection = NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>

  struct Value: ServerChildChannelValue {
    let accepted: AcceptedConnection
    let share: NIOLoopBound<LoopShare?>

    var channel: any Channel { accepted.channel }
  }

  let server: SocketIOServer
  let configuration: SocketIOServer.HTTPChannelConfiguration
  let responder: HTTPChannelHandler.Responder

  /// The connections there are.
  private let connections = Atomic(0)

  init(
    server: SocketIOServer, configuration: SocketIOServer.HTTPChannelConfiguration,
    responder: @escaping HTTPChannelHandler.Responder
  ) {
    self.server = server
    self.configuration = configuration
    self.responder = responder
  }

  /// Takes a place for a connection; nil if there is none.
  private func reserve(_ channel: any Channel) -> ConnectionPlace? {
    guard connections.add(1, ordering: .relaxed).newValue <= configuration.maxConnections,
      let release = configuration.reserveConnection.map({ $0(channel.remoteAddress) }) ?? { @Sendable in }
    else {
      connections.subtract(1, ordering: .relaxed)
      return nil
    }
    return ConnectionPlace(owner: server.core.configuration.connectionOwner?(channel.remoteAddress)) {
      self.connections.subtract(1, ordering: .relaxed)
      release()
    }
  }

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
    guard let place = reserve(channel) else {
      // The listener leaves a connection whose setup fails to the setup.
      channel.close(promise: nil)
      return channel.eventLoop.makeFailedFuture(TooManyConnections())
    }
    server.core.opened(channel)
    return channel.eventLoop.makeCompletedFuture {
      let share = server.core.share(of: place.owner, on: channel.eventLoop)
      let configured = { Result { try self.configure(channel, place, share, logger) } }
      let result = share.map { $0.spend(configured) } ?? configured()
      if case .failure = result { channel.close(promise: nil) }
      return try result.get()
    }
  }

  private func configure(
    _ channel: any Channel, _ place: ConnectionPlace, _ share: LoopShare?, _ logger: Logger
  ) throws -> Value {
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
    if let certificate = configuration.tls {
      try pipeline.addHandler(PlainTextRefusal())
      try pipeline.addHandler(certificate.makeHandler())
    }
    try pipeline.configureHTTPServerPipeline(
      withPipeliningAssistance: false,  // The async channel takes one request after another.
      withErrorHandling: false,  // Hummingbird answers parse errors.
      withOutboundHeaderValidation: false,  // Swift HTTP Types have done it.
      withEncoderConfiguration: .init(), withDecoderLimitConfiguration: limits)
    try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: configuration.tls != nil))
    try pipeline.addHandler(
      HTTPConnectionHandler(
        server: server, isSecure: configuration.tls != nil, addressee: configuration.addressee, pace: pace, place: place
      ))
    try pipeline.addHandler(HTTPConnectionStateHandler(idleTimeout: configuration.idleTimeout, logger: logger))
    let http = try HTTPConnection(
      wrappingChannelSynchronously: channel, configuration: .init(isOutboundHalfClosureEnabled: true))
    return Value(accepted: AcceptedConnection(http), share: NIOLoopBound(share, eventLoop: channel.eventLoop))
  }

  func handle(value: Value, logger: Logger) async {
    guard configuration.respondsOnEventLoop else {
      return await handleHTTP(asyncChannel: value.accepted.take(), logger: logger)
    }
    await withTaskExecutorPreference(EventLoopTaskExecutor(value.channel.eventLoop, share: value.share)) {
      await handleHTTP(asyncChannel: value.accepted.take(), logger: logger)
    }
  }
}

/// A connection between its set-up and its handling. A listener that stops just then drops it; an async channel that nobody
/// closes would end the process.
final class AcceptedConnection: Sendable {
  private let http: SocketIOHTTPChannel.HTTPConnection
  private let isTaken = Atomic(false)

  init(_ http: SocketIOHTTPChannel.HTTPConnection) { self.http = http }

  deinit {
    guard !isTaken.load(ordering: .acquiring) else { return }
    // Unstructured: whoever dropped it waits for nothing.
    Task { [http] in try? await http.executeThenClose { _, _ in } }
  }

  var channel: any Channel { http.channel }

  /// The connection, for whoever handles it and closes it.
  func take() -> SocketIOHTTPChannel.HTTPConnection {
    isTaken.store(true, ordering: .releasing)
    return http
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
