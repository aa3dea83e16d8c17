import HTTPTypes
import HummingbirdCore
import NIOCore
import SocketIOProtocol

extension ServerCore {
  /// Answers a long-polling request, including invalid ones.
  ///
  /// - Parameter channel: The connection of the request. If it is lost while a poll waits, the session ends.
  func respond(to request: Request, channel: any Channel) async -> Response {
    let response = await answer(request, channel)
    return request.method == .head ? response.createHeadResponse() : response
  }

  private func answer(_ request: Request, _ channel: any Channel) async -> Response {
    let engineRequest = EngineRequest(request.head, remoteAddress: channel.remoteAddress)
    if request.method == .options, let headers = configuration.cors.preflightHeaders(for: request.headers) {
      return Response(status: .noContent, headers: headers)
    }
    let reply = PollingResponse(to: engineRequest, configuration)
    do throws(Refusal) {
      switch try engineRequest.aim(configuration, over: .polling) {
      case .handshake:
        switch judge(engineRequest, over: .polling) {
        case .allow: break
        case .refuse(let status): return reply.empty(status)
        case .reset: return try await reply.answer(.reset, over: channel)
        }
        try await allow(engineRequest, over: .polling)
        let revision = try engineRequest.revision(configuration)
        let handshake = Handshake(
          engineRequest, revision: revision, transport: .polling, issued: .millisecondsSince1970)
        return try await open(engineRequest, handshake, on: channel.eventLoop, reply)
      case .session(let sid):
        return try await respond(to: request, engineRequest, sid, channel, reply)
      }
    } catch {
      refused(engineRequest, error)
      return reply.refusal(error)
    }
  }

  private func respond(
    to request: Request, _ engineRequest: EngineRequest, _ sid: String, _ channel: any Channel, _ reply: PollingResponse
  ) async throws(Refusal) -> Response {
    guard let shard = shard(of: sid) else { throw .unknownSession }
    if let refusal = engineRequest.mismatch(over: .polling) {
      let exists = await withCheckedContinuation { continuation in
        shard.run { continuation.resume(returning: $0.liveSession(sid) != nil) }
      }
      throw exists ? refusal : .unknownSession
    }
    if let answer = await silence(sid, shard, channel) { return try await reply.answer(answer) }
    switch request.method {
    case .get: return try await reply.answer(await poll(sid, shard, channel), over: channel)
    case .post:
      let response = try await post(sid, shard, request, engineRequest, channel, reply)
      return await silence(sid, shard, channel) == nil ? response : reply.empty(.badRequest)
    default: return reply.empty(.methodNotAllowed)
    }
  }

  /// For a session that a hook made silent: waits until the connection or the session ends, and returns the answer.
  private func silence(_ sid: String, _ shard: LoopShard, _ channel: any Channel) async -> PollingAnswer? {
    guard packetHook != nil else { return nil }
    return await withCheckedContinuation { continuation in
      shard.run { shard in
        guard let session = shard.sessions[sid], session.isSilent else { return continuation.resume(returning: nil) }
        session.leaveUnanswered(over: channel) { continuation.resume(returning: .broken) }
      }
    }
  }

  private func open(
    _ request: EngineRequest, _ handshake: Handshake, on loop: any EventLoop, _ reply: PollingResponse
  ) async throws(Refusal) -> Response {
    guard let shard = shard(on: loop), let release = reserveSession(for: request, over: .polling) else {
      return reply.empty(.serviceUnavailable)
    }
    let (answer, sid) = await withCheckedContinuation { continuation in
      shard.run { shard in
        let session = Session(shard: shard, handshake: handshake, transport: .polling, release: release)
        shard.add(session)
        continuation.resume(returning: (session.pollReply([session.openPacket]), session.id))
        session.begin()
      }
    }
    return try await reply.answer(answer, opening: sid)
  }

  private func poll(_ sid: String, _ shard: LoopShard, _ channel: any Channel) async -> PollingAnswer {
    await withCheckedContinuation { continuation in
      shard.run { shard in
        guard let session = shard.liveSession(sid) else {
          return continuation.resume(returning: .refused(.unknownSession))
        }
        session.pollArrived { continuation.resume(returning: $0) }
        guard session.poll != nil else { return }
        let number = session.pollNumber
        PollWatch.onLoss(of: channel) {
          shard.run { _ in session.pollAborted(number) }
        }
      }
    }
  }

  private func post(
    _ sid: String, _ shard: LoopShard, _ request: Request, _ engineRequest: EngineRequest, _ channel: any Channel,
    _ reply: PollingResponse
  ) async throws(Refusal) -> Response {
    let refused: PollingAnswer? = await withCheckedContinuation { continuation in
      shard.run { continuation.resume(returning: $0.postArrived(sid, engineRequest)) }
    }
    if let refused { return try await reply.answer(refused) }
    let limit = configuration.maxHTTPBufferSize
    let isBinary = request.headers[.contentType]?.hasPrefix("application/octet-stream") ?? false
    var payload: [UInt8] = []
    var release: (@Sendable () -> Void)?
    defer { release?() }
    do {
      for try await chunk in request.body {
        guard payload.count + chunk.readableBytes <= limit else { throw NIOTooManyBytesError(maxBytes: limit) }
        payload += chunk.readableBytesView
        guard release == nil, payload.count > ServerCore.freeMessageSize else { continue }
        release = reserveMessage(for: .init(engineRequest, transport: .polling))
        if release == nil { throw NoRoom() }
      }
    } catch {
      let isTooLarge = error is NIOTooManyBytesError
      shard.run { $0.sessions[sid]?.postFailed(closing: !isTooLarge) }
      return reply.empty(isTooLarge ? .contentTooLarge : error is NoRoom ? .serviceUnavailable : .badRequest)
    }
    if JSONP(engineRequest.query) != nil { payload = JSONP.payload(inForm: payload) }
    let owner = configuration.connectionOwner?(engineRequest.remoteAddress)
    let answer: PollingAnswer = await withCheckedContinuation { [payload] continuation in
      shard.work(for: owner, size: payload.count) { shard in
        continuation.resume(
          returning: shard.sessions[sid]?.posted(payload, isBinary: isBinary) ?? .refused(.unknownSession))
      }
    }
    return try await reply.answer(answer, over: channel)
  }
}

extension PollingResponse {
  /// Converts an answer, and resets the connection if the answer demands it.
  fileprivate func answer(_ answer: PollingAnswer, over channel: any Channel) async throws(Refusal) -> Response {
    if case .reset = answer { try? await channel.reset().get() }
    return try await self.answer(answer)
  }
}

extension LoopShard {
  /// The answer if the POST may not be read; nil if it may.
  func postArrived(_ sid: String, _ request: EngineRequest) -> PollingAnswer? {
    guard let session = liveSession(sid) else { return .refused(.unknownSession) }
    session.note(request)
    switch session.engine.postArrived(at: Milliseconds.uptime) {
    case .read:
      return nil
    case .refuse(let refusal):
      return .refused(refusal)
    case .overlap:
      session.close(.transportError)
      return .broken
    }
  }
}

/// There is no capacity for another large message.
private struct NoRoom: Error {}
