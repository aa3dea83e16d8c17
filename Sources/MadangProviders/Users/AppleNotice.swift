import JWTKit
import MadangCore
import SocketIOProtocol

/// The claims of what Apple tells of a person who signs in with it.
///
/// Source: https://developer.apple.com/documentation/signinwithapple/processing-changes-for-sign-in-with-apple-accounts.
struct AppleNotice: AppleClaims {
  struct Event: Codable {
    let type: String
    let subject: String
    /// Since 1970, in milliseconds, as Apple's pages have it, or in seconds.
    let time: Int64?

    enum CodingKeys: String, CodingKey {
      case type
      case subject = "sub"
      case time = "event_time"
    }

    /// What is less than this in milliseconds is in 1973 at the latest; in seconds, in the year 5138.
    private static let leastMilliseconds: Int64 = 100_000_000_000

    /// In milliseconds since 1970.
    var milliseconds: Int64? {
      time.map { (0..<Self.leastMilliseconds).contains($0) ? $0 * 1000 : $0 }
    }
  }

  /// An object, or the text of one: Apple's page shows the former, its servers send the latter.
  struct Events: Codable {
    let event: Event

    init(from decoder: any Decoder) throws {
      let value = try decoder.singleValueContainer()
      if let text = try? value.decode(String.self) {
        event = try ForeignJSON.decode(Event.self, from: Array(text.utf8))
      } else {
        event = try value.decode(Event.self)
      }
    }

    func encode(to encoder: any Encoder) throws { try event.encode(to: encoder) }
  }

  let issuer: IssuerClaim
  let audience: AudienceClaim
  let expires: ExpirationClaim
  let issuedAt: IssuedAtClaim?
  let events: Events

  enum CodingKeys: String, CodingKey {
    case issuer = "iss"
    case audience = "aud"
    case expires = "exp"
    case issuedAt = "iat"
    case events
  }

  func verify(using key: some JWTAlgorithm) {}

  /// Nil for an event that is none of those documented.
  var notice: ProviderNotice? {
    let kinds: [String: ProviderNotice.Event] = [
      "consent-revoked": .accessRevoked, "account-delete": .accountDeleted, "account-deleted": .accountDeleted,
      "email-disabled": .mailChanged, "email-enabled": .mailChanged,
    ]
    return kinds[events.event.type].map {
      ProviderNotice(
        provider: .apple, subject: events.event.subject, event: $0, word: events.event.type,
        time: events.event.milliseconds ?? issued)
    }
  }
}
