import Crypto
import Foundation
import JWTKit
import MadangCore
import SocketIOProtocol
import Synchronization

/// Access tokens: signed, carrying a session, an edition and an expiry. They stay valid until their own expiry as
/// long as the session lives.
final class AccessTokens: Sendable {
  struct Claims: JWTPayload {
    let number: Int64
    /// When the session began, in milliseconds since 1970; nil in tokens of the older form.
    let begun: Int64?
    let edition: String
    /// Milliseconds since 1970.
    let expiresAt: Int64

    enum CodingKeys: String, CodingKey {
      case number = "sid"
      case begun = "beg_ms"
      case edition = "ed"
      case expiresAt = "exp_ms"
    }

    init(session: SessionID, edition: String, expiresAt: Int64) {
      (number, begun) = (session.number, session.begun)
      (self.edition, self.expiresAt) = (edition, expiresAt)
    }

    var session: SessionID? { begun.map { SessionID(number: number, begun: $0) } }

    func isOf(_ session: SessionID) -> Bool { number == session.number && begun ?? session.begun == session.begun }

    // Expiry is checked by the server's clock, after the session.
    func verify(using key: some JWTAlgorithm) {}
  }

  private let keys = JWTKeyCollection()
  private let key: SymmetricKey
  /// Claims of tokens with a verified signature: verifying is a large part of a small request, and its result never
  /// changes.
  private let known = Mutex<[String: Claims]>([:])
  private let maxKnown: Int

  /// - Parameter maxKnown: How many verified tokens are remembered.
  init(secret: [UInt8], maxKnown: Int = 10_000) async {
    self.maxKnown = maxKnown
    key = SymmetricKey(data: secret)
    let encoder = JSONEncoder()
    // Otherwise equal claims give other bytes each time, but test worlds must be reproducible.
    encoder.outputFormatting = .sortedKeys
    await keys.add(
      hmac: HMACKey(key: .init(data: secret)), digestAlgorithm: .sha256,
      serializer: DefaultJWTSerializer(jsonEncoder: encoder))
  }

  func issue(session: SessionID, edition: String, expiresAt: Int64) async throws -> String {
    try await keys.sign(Claims(session: session, edition: edition, expiresAt: expiresAt))
  }

  private func isToken(_ text: String) -> Bool { text.utf8.count <= 1024 && text.isASCII }

  /// The claims of a token that was verified before.
  func knownClaims(of token: String) -> Claims? { isToken(token) ? known.withLock { $0[token] } : nil }

  /// The claims of a token; nil if this server did not issue it.
  func claims(of token: String) async -> Claims? {
    guard isToken(token) else { return nil }
    if let claims = knownClaims(of: token) { return claims }
    // A token is decoded only after its signature is verified: Foundation's JSON decoder ends the process at 513 opening
    // brackets.
    guard isSigned(token), let claims = try? await keys.verify(token, as: Claims.self) else { return nil }
    known.withLock { known in
      if known.count >= maxKnown { known.removeAll() }
      known[token] = claims
    }
    return claims
  }

  private func isSigned(_ token: String) -> Bool {
    guard let mark = token.lastIndex(of: "."),
      let signature = [UInt8](base64URL: token[token.index(after: mark)...])
    else { return false }
    return HMAC<SHA256>.isValidAuthenticationCode(
      signature, authenticating: Array(token[..<mark].utf8), using: key)
  }
}
