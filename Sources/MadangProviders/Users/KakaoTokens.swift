import MadangCore
import NIOHTTP1

/// Kakao access tokens, checked by asking Kakao whose they are.
///
/// Source: https://developers.kakao.com/docs/latest/en/kakaologin/rest-api (`GET /v2/user/me`,
/// `GET /v1/user/access_token_info`).
package struct KakaoTokens: SocialVerifier {
  struct Profile: Decodable {
    struct Account: Decodable {
      struct Profile: Decodable {
        let nickname: String?
      }

      let email: String?
      let isEmailValid: Bool?
      let isEmailVerified: Bool?
      let profile: Profile?
    }

    struct Properties: Decodable {
      let nickname: String?
    }

    let id: Int64
    let kakaoAccount: Account?
    let properties: Properties?

    /// - Parameter asked: When Kakao was asked whose the token is.
    func social(askedAt asked: Int64) -> SocialProfile {
      let isVerified = kakaoAccount?.isEmailValid == true && kakaoAccount?.isEmailVerified == true
      return SocialProfile(
        subject: String(id), email: kakaoAccount?.email, isEmailVerified: isVerified,
        nickname: kakaoAccount?.profile?.nickname ?? properties?.nickname, issuedAt: asked)
    }
  }

  struct TokenInfo: Decodable {
    let appId: Int
  }

  private let settings: ProviderSettings.Kakao
  private let calls: ProviderCalls
  private let clock: Clock

  package init(_ settings: ProviderSettings.Kakao, calls: ProviderCalls, clock: Clock) {
    self.settings = settings
    self.calls = calls
    self.clock = clock
  }

  package func profile(of token: String) async throws -> SocialProfile? {
    // A header holds visible ASCII only, and no token of Kakao's has anything else.
    guard token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
    // It does not say when it issued the token, but takes none that it has revoked: this one was good now, whatever it tells meanwhile.
    let asked = clock.now
    if settings.app != 0 {
      let info: TokenInfo? = try await ask("/v1/user/access_token_info", token)
      guard info?.appId == settings.app else { return nil }
    }
    let profile: Profile? = try await ask("/v2/user/me", token)
    return profile?.social(askedAt: asked)
  }

  /// Nil if Kakao does not take the token.
  private func ask<Value: Decodable>(_ path: String, _ token: String) async throws -> Value? {
    let answer = try await calls.get(settings.url + path, headers: ["Authorization": "Bearer \(token)"])
    switch answer.status {
    case 200: return try answer.decode()
    case 400, 401, 403: return nil
    default: throw ProviderCalls.Unusable(status: answer.status)
    }
  }
}

/// Tells Kakao that a person uses the app no more.
///
/// Source: https://developers.kakao.com/docs/latest/en/kakaologin/rest-api (`POST /v1/user/unlink`).
package struct KakaoUnlinking: Sendable {
  private struct Refusal: Decodable {
    let code: Int
  }

  /// Kakao's code for somebody whom the app is not linked with.
  private static let notLinked = -101

  private let settings: ProviderSettings.Kakao
  private let calls: ProviderCalls

  package init(settings: ProviderSettings.Kakao, calls: ProviderCalls) {
    (self.settings, self.calls) = (settings, calls)
  }

  /// Tried twice. Throws if Kakao does not say that the person is unlinked now, or was before.
  package func unlink(_ subject: String) async throws {
    do { try await ask(subject) } catch { try await ask(subject) }
  }

  private func ask(_ subject: String) async throws {
    let answer = try await calls.post(
      settings.url + "/v1/user/unlink", headers: ["Authorization": settings.authorization],
      type: "application/x-www-form-urlencoded;charset=utf-8", Array("target_id_type=user_id&target_id=\(subject)".utf8)
    )
    guard answer.status != 200 else { return }
    let refusal = try? answer.decode(Refusal.self)
    guard answer.status == 400, refusal?.code == Self.notLinked else {
      throw ProviderCalls.Unusable(status: answer.status)
    }
  }
}
