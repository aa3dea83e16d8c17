import HTTPTypes
import NIOCore
import NIOPosix
import SocketIOProtocol

/// A validated request for a WebSocket.
struct WebSocketOffer: Sendable {
  enum Wish: Sendable {
    case open(EngineRevision)
    case upgrade(sid: String)
    /// The WebSocket opens only to deliver this text, because clients do not show an HTTP refusal.
    case explain(String)
  }

  let request: EngineRequest
  let acceptKey: String
  /// The agreed compression.
  let deflate: DeflateAgreement?
  let wish: Wish

  var isRefused: Bool { if case .explain = wish { true } else { false } }
}

extension ServerCore {
  /// Validates a request for an allowed WebSocket, and finds its loop.
  func examine(
    _ request: EngineRequest, _ aim: RequestAim, on loop: any EventLoop
  ) throws(Refusal) -> (LoopShard, WebSocketOffer) {
    let wish: WebSocketOffer.Wish
    var shard = shard(on: loop)
    switch aim {
    case .session(let sid):
      if let refusal = request.mismatch(over: .webSocket) ?? (configuration.allowUpgrades ? nil : .noUpgrade) {
        throw refusal
      }
      shard = self.shard(of: sid)
      wish = .upgrade(sid: sid)
    case .handshake:
      do throws(Refusal) {
        wish = .open(try request.revision(configuration))
      } catch {
        refused(request, error)
        wish = .explain(error.body)
      }
    }
    guard let shard else { throw .unknownSession }
    let key = try WebSocketHandshake.acceptKey(for: request)
    let deflate = configuration.perMessageDeflate == nil ? nil : try WebSocketHandshake.deflate(for: request)
    return (shard, WebSocketOffer(request: request, acceptKey: key, deflate: deflate, wish: wish))
  }
}

extension LoopShard {
  /// Makes a WebSocket of a connection that was taken out of HTTP. Takes ownership of the descriptor.
  ///
  /// - Parameters:
  ///   - place: The connection's reservation, if it must last as long as the descriptor.
  ///   - owner: The owner whose share of the loop's time reading counts against.
  func accept(_ offer: WebSocketOffer, _ descriptor: CInt, _ place: ConnectionPlace?, owner: String?) {
    switch purpose(of: offer) {
    case .failure(let refusal):
      let answer = WebSocketHandshake.answer(refusal)
      channel(descriptor, place).whenSuccess { channel in
        channel.writeAndFlush(answer, promise: nil)
        channel.close(promise: nil)
      }
    case .success(let purpose):
      var headers = core.configuration.cors.headers(for: offer.request.headers)
      if let fields = core.configuration.responseFields, !offer.isRefused {
        headers.replace(with: fields(.init(offer.request)))
      }
      let deflation = deflation(for: offer)
      headers[.secWebSocketExtensions] = deflation?.field
      let answer = WebSocketHandshake.answer(acceptKey: offer.acceptKey, headers: headers)
      let share = shares?.share(of: owner)
      let link = NIOLoopBound(
        WebSocketLink(
          shard: self, descriptor: descriptor, purpose: purpose, answer: answer, deflation: deflation, share: share),
        eventLoop: loop)
      channel(descriptor, place) { channel in
        channel.eventLoop.makeCompletedFuture {
          if let share = link.value.share { try channel.pipeline.syncOperations.addHandler(LoopShareHandler(share)) }
          try channel.pipeline.syncOperations.addHandler(link.value)
        }
      }.whenFailure { _ in link.value.failedToOpen() }
    }
  }

  private func purpose(of offer: WebSocketOffer) -> Result<WebSocketLink.Purpose, Refusal> {
    switch offer.wish {
    case .open(let revision):
      guard let release = core.reserveSession(for: offer.request, over: .webSocket) else {
        return .failure(.init(status: .serviceUnavailable, message: "Too many sessions"))
      }
      let handshake = Handshake(
        offer.request, revision: revision, transport: .webSocket, issued: .millisecondsSince1970)
      let session = Session(shard: self, handshake: handshake, transport: .webSocket, release: release)
      add(session)
      return .success(.open(session))
    case .upgrade(let sid):
      guard let session = liveSession(sid) else {
        core.refused(offer.request, .unknownSession)
        return .failure(.unknownSession)
      }
      session.note(offer.request)
      return .success(.upgrade(session))
    case .explain(let text):
      return .success(.refuse(text: text))
    }
  }

  private func channel(
    _ descriptor: CInt, _ place: ConnectionPlace?,
    _ initialize: @escaping @Sendable (any Channel) -> EventLoopFuture<Void> = {
      $0.eventLoop.makeSucceededVoidFuture()
    }
  ) -> EventLoopFuture<any Channel> {
    let limit = core.configuration.maxOutboundBytesPerSocket
    let channel = ClientBootstrap(group: loop)
      .channelOption(.writeBufferWaterMark, value: .init(low: limit / 2, high: limit))
      .channelOption(.maxMessagesPerRead, value: 1)
      .channelOption(.recvAllocator, value: AdaptiveRecvByteBufferAllocator(minimum: 64, initial: 512, maximum: 65536))
      .channelInitializer(initialize)
      .withConnectedSocket(descriptor)
    channel.whenFailure { _ in place?.giveBack() }
    channel.whenSuccess { $0.closeFuture.whenComplete { _ in place?.giveBack() } }
    return channel
  }
}

extension LoopShard {
  /// The compression of a new WebSocket. The loop's streams are made for the first WebSocket that uses compression; without memory for them
  /// there is none.
  func deflation(for offer: WebSocketOffer) -> LinkDeflation? {
    guard let settings = core.configuration.perMessageDeflate, let agreement = offer.deflate, !offer.isRefused else {
      return nil
    }
    if deflateStreams == nil { deflateStreams = DeflateStreams(settings) }
    return deflateStreams.map { LinkDeflation(streams: $0, agreement: agreement) }
  }
}
