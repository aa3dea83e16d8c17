import Foundation
import JWTKit
import MadangCore
import SocketIOProtocol

/// Apple identity tokens: signature by one of Apple's keys, issuer, audience and expiry.
///
/// Source: https://developer.apple.com/documentation/signinwithapple/verifying-a-user
package actor AppleTokens: SocialVerifier {
  private static let issuer = "https://appleid.apple.com"
  /// Apple changes its keys now and then; an unknown one is looked for at most once in so many milliseconds.
  private static let interval: Int64 = 60_000
  /// The pause after Apple has not answered while no key is known, so that nobody can sign in.
  private static let firstInterval: Int64 = 10_000
  /// Known keys are asked for again after so many milliseconds, so that a revoked one is forgotten.
  private static let lifetime: Int64 = 24 * 3_600_000
  /// How much longer they are used while Apple does not answer.
  private static let grace: Int64 = 24 * 3_600_000

  private let settings: ProviderSettings.Apple
  private let calls: ProviderCalls
  private let clock: MadangCore.Clock
  /// By the steady clock.
  private var known: (keys: JWTKeyCollection, since: Int64)?
  private var fetching: Task<JWTKeyCollection, any Error>?
  /// What the last call failed with; nil if Apple answered it.
  private var failure: (any Error)?
  private var nextCall = Int64.min

  package init(_ settings: ProviderSettings.Apple, calls: ProviderCalls, clock: MadangCore.Clock) {
    self.settings = settings
    self.calls = calls
    self.clock = clock
  }

  package func profile(of token: String) async throws -> SocialProfile? {
    guard let identity = try await claims(of: token, as: Identity.self), isForUs(identity) else { return nil }
    return SocialProfile(
      subject: identity.subject.value, email: identity.email, isEmailVerified: identity.emailVerified?.value == true,
      nickname: nil, issuedAt: identity.issued)
  }

  /// What Apple tells by a payload of its notices; nil if it is none of Apple's, is for another app or too old.
  package func notice(_ payload: String) async throws -> ProviderNotice? {
    guard let told = try await claims(of: payload, as: AppleNotice.self), isForUs(told) else { return nil }
    return told.notice
  }

  private func isForUs(_ claims: some AppleClaims) -> Bool {
    claims.issuer.value == Self.issuer && claims.audience.value.contains(where: settings.audiences.contains)
      && claims.expires.value.timeIntervalSince1970 * 1000 > Double(clock.now)
  }

  /// Throws if the token may be one that is signed with a key that Apple, which does not answer now, would name.
  private func claims<Claims: AppleClaims>(of token: String, as type: Claims.Type) async throws -> Claims? {
    // For junk nobody is asked.
    guard Self.hasForm(token) else { return nil }
    let known = known
    let age = known.map { clock.steady - $0.since } ?? .max
    if age < Self.lifetime, let known, let claims = await Self.claims(of: token, as: type, keys: known.keys) {
      return claims
    }
    do {
      guard let keys = try await newerKeys(than: known?.since) else { return nil }
      return await Self.claims(of: token, as: type, keys: keys)
    } catch {
      if age >= Self.lifetime, age < Self.lifetime + Self.grace, let known,
        let claims = await Self.claims(of: token, as: type, keys: known.keys)
      {
        return claims
      }
      throw error
    }
  }

  /// Nil if Apple was asked a moment ago. Throws what asking failed with, also a moment ago. However many need keys at once, Apple is
  /// asked once.
  private func newerKeys(than time: Int64?) async throws -> JWTKeyCollection? {
    if let known, known.since != time { return known.keys }
    if let fetching { return try await fetching.value }
    guard clock.steady >= nextCall else {
      if let failure { throw failure }
      return nil
    }
    // Unstructured: the outcome belongs to all who wait for it, not to the one who asked first.
    let task = Task { try await fetch() }
    fetching = task
    return try await task.value
  }

  private func fetch() async throws -> JWTKeyCollection {
    defer { fetching = nil }
    var pause: Int64 = 0
    do {
      let answer = try await calls.get(settings.keysURL)
      pause = answer.pause.components.seconds * 1000
      guard answer.status == 200 else { throw ProviderCalls.Unusable(status: answer.status) }
      let keys = try await Self.keys(of: answer)
      (known, failure, nextCall) = ((keys, clock.steady), nil, clock.steady + Self.interval)
      return keys
    } catch {
      failure = error
      nextCall = clock.steady + max(known == nil ? Self.firstInterval : Self.interval, pause)
      throw error
    }
  }

  /// Throws ``ProviderCalls/Unusable`` if the answer is no set of keys.
  static func keys(of answer: ProviderCalls.Answer) async throws -> JWTKeyCollection {
    let keys = JWTKeyCollection()
    guard ForeignJSON.isSafe(answer.body),
      (try? await keys.add(jwksJSON: String(decoding: answer.body, as: UTF8.self))) != nil
    else { throw ProviderCalls.Unusable(status: answer.status) }
    return keys
  }

  /// What a token says that one of the keys signed. Nil for what is none.
  static func claims<Claims: AppleClaims>(
    of token: String, as type: Claims.Type, keys: JWTKeyCollection
  ) async -> Claims? {
    guard hasForm(token) else { return nil }
    return try? await keys.verify(token, as: type)
  }

  /// Whether head and claims can be decoded, which the library does before it asks who signed them.
  private static func hasForm(_ token: String) -> Bool {
    let parts = token.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return parts.count == 3 && parts.dropLast().allSatisfy { isSafeJSON(base64URL: $0) }
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
