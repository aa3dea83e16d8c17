import MadangCore
import MadangServer
import Storage
import Synchronization

/// Provider tokens that tests create (`POST /_dev/social-tokens`).
final class DevelopmentSocialTokens: SocialVerifier {
  struct NewToken: CallFields {
    static let names = CodingKeys.allCases.map(\.rawValue)

    let provider: String
    let subject: String
    let email: String?
    let nickname: String?

    private enum CodingKeys: String, CodingKey, CaseIterable {
      case provider, subject, email, nickname
    }
  }

  struct Issued: Encodable {
    let token: String
  }

  private let provider: SocialProvider
  private let ids: IDSource
  private let profiles = Mutex(RecentValues<SocialProfile>())

  init(_ provider: SocialProvider, ids: IDSource) {
    self.provider = provider
    self.ids = ids
  }

  /// A token that is accepted at the provider's sign-in route until the server stops.
  func issue(_ token: NewToken) throws(BadCall) -> Issued {
    guard !token.subject.isEmpty, !token.subject.hasNUL else { throw BadCall("subject: must not be empty") }
    for (field, text) in [("subject", token.subject), ("email", token.email), ("nickname", token.nickname)] {
      try StandInText.check(text, field)
    }
    let text = "dev-\(provider.rawValue)-\(ids.name(20))"
    let profile = SocialProfile(subject: token.subject, email: token.email, nickname: token.nickname)
    profiles.withLock { $0.set(text, profile) }
    return Issued(token: text)
  }

  func profile(of token: String) -> SocialProfile? { profiles.withLock { $0[token] } }

  /// The tokens as stored in snapshots.
  var kept: RecentValues<SocialProfile> {
    get { profiles.withLock(\.self) }
    set { profiles.withLock { $0 = newValue } }
  }
}
