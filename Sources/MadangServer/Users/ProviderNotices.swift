import HTTPTypes
import Hummingbird
import Logging
import MadangAPI
import MadangCore
import MadangProviders
import SocketIOProtocol

/// Notices that Apple and Kakao send about people: `POST /_hooks/apple`, `GET` or `POST /_hooks/kakao`. Servers with the provider's
/// settings have them. They need no API key; the provider is known by a signature, or by a secret that both sides have.
enum ProviderNotices {
  static func add(to routes: inout RouteTable<OpenRoute>) {
    routes.add(["POST"], .apple) { received in
      guard let apple = received.service.providers.appleNotices else { return nil }
      return { try await received.notice(of: apple) }
    }
    routes.add(["GET", "POST"], .kakao) { received in
      guard let kakao = received.service.providers.kakaoNotices else { return nil }
      return { try await received.notice(of: kakao) }
    }
  }
}

/// The request is not a notice of the provider.
private struct NotTheirs: Error {}

private typealias NoticeReader = () async throws -> ProviderNotice

extension RouteTable<OpenRoute> {
  /// - Parameter reader: Nil if the server takes no notices of the provider.
  fileprivate mutating func add(
    _ methods: [String], _ provider: SocialProvider, _ reader: @escaping @Sendable (ReceivedRequest) -> NoticeReader?
  ) {
    add(
      methods, [.literal("_hooks"), .literal(provider.rawValue)],
      OpenRoute(kind: .notice) { received, _ in
        guard let read = reader(received) else { return nil }
        return await received.act(onNoticeOf: provider, read)
      })
  }
}

extension ReceivedRequest {
  /// Answered once the notice was acted on.
  fileprivate func act(onNoticeOf provider: SocialProvider, _ read: NoticeReader) async -> Response {
    // Only failures are counted: a provider may send notices about many people at once.
    let payer = CallLimits.Subject.address(client.networkHash)
    do {
      try service.limits.calls.check(payer)
      let outcome = try await service.madang.process(try await read(), from: client.text)
      service.reports.metrics.notice(provider, outcome.rawValue)
      return .nothing
    } catch let refusal as Refusal where refusal.code == .tooManyCalls {
      return answer(.tooManyRequests, retryAfter: refusal.retryAfter)
    } catch {
      try? service.limits.calls.count(payer)
      guard !(error is NotTheirs) else {
        service.reports.metrics.notice(provider, Metrics.refusedNotice)
        return answer(.unauthorized)
      }
      service.reports.metrics.notice(provider, Metrics.failedNotice)
      log(error, provider)
      // The provider may send it again.
      return answer(.serviceUnavailable, retryAfter: 60)
    }
  }

  /// Anyone who imitates a notice can cause it, so the number of lines is limited.
  private func log(_ error: any Error, _ provider: SocialProvider) {
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

  fileprivate func notice(of apple: AppleTokens) async throws -> ProviderNotice {
    guard case .text(let payload)? = try await noticeFields()["payload"],
      payload.utf8.count <= maxProviderTokenSize, let notice = try await apple.notice(payload)
    else { throw NotTheirs() }
    return notice
  }

  fileprivate func notice(of kakao: KakaoNotices) async throws -> ProviderNotice {
    guard kakao.isTheirs(request.headers[.authorization]) else { throw NotTheirs() }
    let fields = request.method == .post ? try await noticeFields() : Fields()
    let notice = kakao.notice(at: service.madang.clock.now) { name in
      if case .text(let text)? = fields[name] { text } else { target[name] }
    }
    guard let notice else { throw NotTheirs() }
    return notice
  }

  private func noticeFields() async throws -> Fields {
    do { return try await body.fields() } catch is Failure { throw NotTheirs() }
  }
}
