import MadangCore

/// Other people's servers that this one asks; nil for what is not configured.
struct Providers: Sendable {
  let payments: (any PaymentVerifier)?
  let apple: (any SocialVerifier)?
  let kakao: (any SocialVerifier)?

  func social(_ provider: SocialProvider) -> (any SocialVerifier)? {
    switch provider {
    case .apple: apple
    case .kakao: kakao
    }
  }

  /// What is configured; in development mode the built-in ones for the rest.
  /// Throws ``SetupError`` if a file cannot be used.
  init(_ settings: ProviderSettings, clock: Clock, development: Development?) throws {
    let calls = ProviderCalls(
      timeout: settings.timeout, over: ProviderConnections(authorities: try settings.authorities()))
    payments =
      settings.portOne.key.isEmpty
      ? development?.payments : PortOne(settings.portOne, calls: calls)
    apple =
      settings.apple.audiences.isEmpty
      ? development?.socialTokens(.apple) : AppleTokens(settings.apple, calls: calls, clock: clock)
    kakao =
      settings.kakao.url.isEmpty
      ? development?.socialTokens(.kakao) : KakaoTokens(settings.kakao, calls: calls)
  }
}
