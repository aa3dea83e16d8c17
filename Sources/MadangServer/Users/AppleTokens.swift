import Foundation
import JWTKit
import MadangCore
import SocketIOProtocol

/// Apple identity tokens: signature by one of Apple's keys, issuer, audience and expiry.
///
/// Source: https://developer.apple.com/documentation/signinwithapple/verifying-a-user
actor AppleTokens: SocialVerifier {
  private static let issuer = "https://appleid.apple.com"
  /// Apple changes its keys now and then; an unknown one is looked for at most this often.
  private static let interval: Duration = .seconds(60)
  /// Known keys are asked for again after this long, so that a revoked one is forgotten.
  private static let lifetime: Duration = .seconds(24 * 3600)

  private let settings: ProviderSettings.Apple
  private let calls: ProviderCalls
  private let clock: MadangCore.Clock
  private var keys: JWTKeyCollection?
  private var fetchedAt: ContinuousClock.Instant?

  init(_ settings: ProviderSettings.Apple, calls: ProviderCalls, clock: MadangCore.Clock) {
    self.settings = settings
    self.calls = calls
    self.clock = clock
  }

  func profile(of token: String) async throws -> SocialProfile? {
    guard let identity = try await claims(of: token, as: Identity.self), isForUs(identity) else { return nil }
    return SocialProfile(
      subject: identity.subject.value, email: identity.email, isEmailVerified: identity.emailVerified?.value == true,
      nickname: nil, issuedAt: identity.issued)
  }

  /// What Apple tells by a payload of its notices; nil if it is none of Apple's, is for another app or too old.
  func notice(_ payload: String) async throws -> ProviderNotice? {
    guard let told = try await claims(of: payload, as: AppleNotice.self), isForUs(told) else { return nil }
    return told.notice
  }

  private func isForUs(_ claims: some AppleClaims) -> Bool {
    claims.issuer.value == Self.issuer && claims.audience.value.contains(where: settings.audiences.contains)
      && claims.expires.value.timeIntervalSince1970 * 1000 > Double(clock.now)
  }

  private func claims<Claims: AppleClaims>(of token: String, as type: Claims.Type) async throws -> Claims? {
    let age = fetchedAt.map { ContinuousClock.now - $0 } ?? Self.lifetime
    if age < Self.lifetime, let keys, let claims = await Self.claims(of: token, as: type, keys: keys) {
      return claims
    }
    guard age >= Self.interval else { return nil }
    let answer = try await calls.get(settings.keysURL)
    guard answer.status == 200 else { throw ProviderCalls.Unusable(status: answer.status) }
    let fresh = try await Self.keys(of: answer)
    keys = fresh
    fetchedAt = .now
    return await Self.claims(of: token, as: type, keys: fresh)
  }

  /// Throws ``ProviderCalls/Unusable`` if the answer is no set of keys.
  static func keys(of answer: ProviderCalls.Answer) async throws -> JWTKeyCollection {
    let keys = JWTKeyCollection()
    guard ForeignJSON.isSafe(answer.body),
      (try? await keys.add(jwksJSON: String(decoding: answer.body, as: UTF8.self))) != nil
    else { throw ProviderCalls.Unusable(status: answer.status) }
    return keys
  }

  /// What a token says that one of the keys signed. Its head and its claims are looked at first, as the library decodes
  /// them before it asks who signed them.
  static func claims<Claims: AppleClaims>(
    of token: String, as type: Claims.Type, keys: JWTKeyCollection
  ) async -> Claims? {
    let parts = token.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 3, parts.dropLast().allSatisfy({ isSafeJSON(base64URL: $0) }) else { return nil }
    return try? await keys.verify(token, as: type)
  }

  private static func isSafeJSON(base64URL part: Substring.UTF8View) -> Bool {
    [UInt8](base64URL: Substring(part)).map(ForeignJSON.isSafe) ?? false
  }

  /// The claims of an identity token. The library's own type judges the expiry by the system's clock.
  struct Identity: AppleClaims {
    let issuer: IssuerClaim
    let audience: AudienceClaim
    let expires: ExpirationClaim
    let issuedAt: IssuedAtClaim?
    let subject: SubjectClaim
    let email: String?
    let emailVerified: BoolClaim?

    enum CodingKeys: String, CodingKey {
      case issuer = "iss"
      case audience = "aud"
      case expires = "exp"
      case issuedAt = "iat"
      case subject = "sub"
      case email
      case emailVerified = "email_verified"
    }

    func verify(using key: some JWTAlgorithm) {}
  }
}

/// What Apple says in everything that it signs for an app.
protocol AppleClaims: JWTPayload {
  var issuer: IssuerClaim { get }
  var audience: AudienceClaim { get }
  var expires: ExpirationClaim { get }
  var issuedAt: IssuedAtClaim? { get }
}

extension AppleClaims {
  /// Milliseconds since 1970; 0 if it does not say, for what is older than anything.
  var issued: Int64 { issuedAt.flatMap { Int64(exactly: ($0.value.timeIntervalSince1970 * 1000).rounded()) } ?? 0 }
}
