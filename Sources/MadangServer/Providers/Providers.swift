import MadangCore
import MadangOperations
import MadangProviders
import SocketIOProtocol

/// Other people's servers that this one asks; nil for what is not configured.
struct Providers: Sendable {
  let payments: (any PaymentVerifier)?
  let apple: (any SocialVerifier)?
  let kakao: (any SocialVerifier)?
  let appleNotices: AppleTokens?
  let kakaoNotices: KakaoNotices?
  /// Limits the log lines about notices without effect, because anyone can send them.
  let noticeLines = LogBudget(limit: 10)

  func social(_ provider: SocialProvider) -> (any SocialVerifier)? {
    switch provider {
    case .apple: apple
    case .kakao: kakao
    }
  }

  /// What is configured, and stand-ins for the rest.
  /// Throws ``SetupError`` if a file cannot be used.
  init(_ settings: ProviderSettings, clock: Clock, standIns: ProviderStandIns, troubles: Troubles)
    throws
  {
    let calls = ProviderCalls(
      timeout: settings.timeout, over: ProviderConnections(authorities: try settings.authorities()))
    let verifier: (any PaymentVerifier)? =
      if !settings.portOneV2.secret.isEmpty {
        PortOneV2Payments(settings.portOneV2, calls: calls)
      } else if !settings.portOne.key.isEmpty {
        PortOnePayments(settings.portOne, calls: calls)
      } else {
        standIns.payments
      }
    payments = verifier.map { WatchedPayments($0, troubles) }
    let appleTokens =
      settings.apple.audiences.isEmpty ? nil : AppleTokens(settings.apple, calls: calls, clock: clock)
    apple = appleTokens ?? standIns.social[.apple]
    appleNotices = settings.apple.takesNotices ? appleTokens : nil
    kakaoNotices = settings.kakao.adminKey.isEmpty ? nil : KakaoNotices(settings.kakao)
    kakao =
      settings.kakao.url.isEmpty
      ? standIns.social[.kakao] : KakaoTokens(settings.kakao, calls: calls, clock: clock)
  }
}
