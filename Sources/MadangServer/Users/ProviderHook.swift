import HTTPTypes
import Hummingbird
import Logging
import MadangAPI
import MadangCore
import MadangProviders
import SocketIOProtocol

/// Receives notices of Apple and Kakao about people: `POST /_hooks/apple`, `GET` or `POST /_hooks/kakao`. Each exists if it
/// is configured, and needs no API key; a signature or a shared secret authenticates the caller.
struct ProviderHook {
  /// The request was not a notice of the provider.
  private struct NotTheirs: Error {}

  let service: Service
  let provider: SocialProvider

  /// Nil for other paths.
  static func provider(in target: RequestTarget) -> SocialProvider? {
    guard target.segments.count == 2, target.segments[0] == "_hooks" else { return nil }
    return SocialProvider(rawValue: target.segments[1])
  }

  /// Answered once the notice was applied. Nil if notices of the provider are not accepted.
  func respond(to request: Request, _ target: RequestTarget, _ client: ClientAddress, _ body: BodyReader) async
    -> Response?
  {
    switch (provider, request.method) {
    case (.apple, .post):
      guard let apple = service.providers.appleNotices else { return nil }
      return await heed(client) { try await notice(of: apple, body) }
    case (.kakao, .get), (.kakao, .post):
      guard let kakao = service.providers.kakaoNotices else { return nil }
      return await heed(client) { try await notice(of: kakao, request, target, body) }
    default: return nil
    }
  }

  private func heed(_ client: ClientAddress, _ read: () async throws -> ProviderNotice) async -> Response {
    // Only invalid notices count: a provider may send notices about many people at once.
    let payer = CallLimits.Subject.address(client.networkHash)
    do {
      try service.limits.check(payer)
      let outcome = try await service.madang.heed(try await read(), from: client.text)
      service.metrics.notice(provider, outcome.rawValue)
      return .nothing
    } catch let refusal as Refusal where refusal.code == .tooManyCalls {
      return answer(.tooManyRequests, retryAfter: refusal.retryAfter)
    } catch {
      try? service.limits.count(payer)
      guard !(error is NotTheirs) else {
        service.metrics.notice(provider, Metrics.refusedNotice)
        return answer(.unauthorized)
      }
      service.metrics.notice(provider, Metrics.failedNotice)
      log(error)
      // Refused: the provider may send it again.
      return answer(.serviceUnavailable, retryAfter: 60)
    }
  }

  /// Any caller with a fake notice may cause this.
  private func log(_ error: any Error) {
    guard let leftOut = service.providers.noticeLines.take(at: service.madang.clock.steady) else { return }
    var metadata: Logger.Metadata = ["provider": "\(provider.rawValue)", "error": "\(String(reflecting: error))"]
    if leftOut > 0 { metadata["left-out"] = "\(leftOut)" }
    service.logger.error("a provider's notice could not be applied", metadata: metadata)
  }

  private func answer(_ status: HTTPResponse.Status, retryAfter seconds: Int64? = nil) -> Response {
    var response = Response(status: status, headers: [.cacheControl: "no-store"])
    response.headers[.retryAfter] = seconds.map { String($0) }
    return response
  }

  private func notice(of apple: AppleTokens, _ body: BodyReader) async throws -> ProviderNotice {
    guard case .text(let payload)? = try await fields(of: body)["payload"],
      payload.utf8.count <= maxProviderTokenSize, let notice = try await apple.notice(payload)
    else { throw NotTheirs() }
    return notice
  }

  private func notice(of kakao: KakaoNotices, _ request: Request, _ target: RequestTarget, _ body: BodyReader)
    async throws -> ProviderNotice
  {
    guard kakao.isTheirs(request.headers[.authorization]) else { throw NotTheirs() }
    let fields = request.method == .post ? try await fields(of: body) : Fields()
    let notice = kakao.notice(at: service.madang.clock.now) { name in
      if case .text(let text)? = fields[name] { text } else { target[name] }
    }
    guard let notice else { throw NotTheirs() }
    return notice
  }

  private func fields(of body: BodyReader) async throws -> Fields {
    do { return try await body.fields() } catch is Failure { throw NotTheirs() }
  }
}
