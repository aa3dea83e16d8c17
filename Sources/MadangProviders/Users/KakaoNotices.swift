import Crypto
import MadangCore

/// Kakao's notices that a person has unlinked the app.
///
/// Source: https://developers.kakao.com/docs/latest/en/kakaologin/callback.
package struct KakaoNotices: Sendable {
  private let app: String
  private let authorization: SHA256Digest

  package init(_ settings: ProviderSettings.Kakao) {
    app = String(settings.app)
    authorization = Self.digest(settings.authorization)
  }

  /// Whether the header holds the app's admin key. Equal digests tell nothing of how much of a wrong one was right.
  package func isTheirs(_ header: String?) -> Bool { header.map { Self.digest($0) == authorization } ?? false }

  private static func digest(_ text: String) -> SHA256Digest { SHA256.hash(data: Array(text.utf8)) }

  /// Nil for what is about another app, or about nobody.
  /// - Parameter field: The text of a field of the call.
  package func notice(at now: Int64, _ field: (String) -> String?) -> ProviderNotice? {
    guard field("app_id") == app, let subject = field("user_id").flatMap({ Int64($0) }), subject > 0 else { return nil }
    let word = field("referrer_type") ?? ""
    return ProviderNotice(
      provider: .kakao, subject: String(subject),
      event: ["ACCOUNT_DELETE", "FORCED_ACCOUNT_DELETE"].contains(word) ? .accountDeleted : .accessRevoked,
      word: word, time: now)
  }
}
