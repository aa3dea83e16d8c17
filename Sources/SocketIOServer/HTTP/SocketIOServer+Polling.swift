import HTTPTypes
public import HummingbirdCore
public import NIOCore
import SocketIOProtocol

extension SocketIOServer {
  /// Answers a long-polling request, or one that is refused.
  ///
  /// - Parameter channel: The connection the request came by; a waiting poll whose connection is lost ends its session.
  public func respond(to request: Request, channel: any Channel) async -> Response {
    let engineRequest = EngineRequest(request.head, remoteAddress: channel.remoteAddress)
    if request.method == .options, let headers = core.configuration.cors.preflightHeaders(for: request.headers) {
      return Response(status: .noContent, headers: headers)
    }
    let reply = PollingResponse(request: request, configuration: core.configuration)
    switch RequestCheck(engineRequest, core.configuration, transport: .polling) {
    case .refuse(let refusal, let message):
      core.logRefusal(refusal, engineRequest)
      return reply.refusal(refusal, message)
    case .handshake(let revision):
      let handshake = Handshake(engineRequest, revision: revision, transport: .polling, issued: .millisecondsSince1970)
      return reply.answer(await open(handshake, on: channel.eventLoop))
    case .session(let sid):
      guard let shard = core.shard(of: sid) else { return reply.refusal(.unknownSession, nil) }
      switch request.method {
      case .get: return reply.answer(await poll(sid, shard, channel))
      case .post: return await post(sid, shard, request, reply)
      default: return reply.empty(.methodNotAllowed)
      }
    }
  }

  private func open(_ handshake: Handshake, on loop: any EventLoop) async -> PollingAnswer {
    guard let shard = core.shard(on: loop), core.reserveSession() else { return .unavailable }
    return await withCheckedContinuation { continuation in
      shard.run { shard in
        let session = Session(shard: shard, handshake: handshake, transport: .polling)
        shard.add(session)
        continuation.resume(returning: session.pollReply([session.openPacket]))
        session.begin()
      }
    }
  }

  private func poll(_ sid: String, _ shard: LoopShard, _ channel: any Channel) async -> PollingAnswer {
    await withCheckedContinuation { continuation in
      shard.run { shard in
        guard let session = shard.sessions[sid] else {
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
    _ sid: String, _ shard: LoopShard, _ request: Request, _ reply: PollingResponse
  ) async -> Response {
    let refused: PollingAnswer? = await withCheckedContinuation { continuation in
      shard.run { continuation.resume(returning: $0.postArrived(sid)) }
    }
    if let refused { return reply.answer(refused) }
    let limit = core.configuration.maxHTTPBufferSize
    let isBinary = request.headers[.contentType]?.hasPrefix("application/octet-stream") ?? false
    do {
      let body = Array((try await request.body.collect(upTo: limit)).readableBytesView)
      return reply.answer(
        await withCheckedContinuation { continuation in
          shard.run { shard in
            continuation.resume(
              returning: shard.sessions[sid]?.posted(body, isBinary: isBinary) ?? .refused(.unknownSession))
          }
        })
    } catch {
      let isTooLarge = error is NIOTooManyBytesError
      shard.run { $0.sessions[sid]?.postFailed(closing: !isTooLarge) }
      return reply.empty(isTooLarge ? .contentTooLarge : .badRequest)
    }
  }
}

extension LoopShard {
  /// The answer if the POST may not be read.
  func postArrived(_ sid: String) -> PollingAnswer? {
    guard let session = sessions[sid] else { return .refused(.unknownSession) }
    switch session.engine.postArrived() {
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
