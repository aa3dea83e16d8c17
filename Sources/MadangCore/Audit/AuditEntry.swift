import Foundation

/// What the audit log tells of. The names are stored and told to other programs: they never change.
package enum AuditKind: String, CaseIterable, Sendable {
  case signUp, signIn, signOut
  /// A sign-in failed, or was one try too many.
  case signInRefused
  /// Somebody who may not make an account tried to.
  case signUpRefused
  /// An administrator ended sessions.
  case sessionEnded
  /// A link for another password was sent to an account's address.
  case passwordResetSent
  /// A link to confirm it was sent to an account's address.
  case confirmationSent
  /// Somebody with such a link, or an administrator, confirmed the address of an account.
  case addressConfirmed
  /// An administrator approved an account that waited for it.
  case accountApproved
  case passwordChanged, accountDisabled, accountEnabled, coinsGiven
  case keyCreated, keyRevoked, tokenKeyReplaced
  case invitationMade, invitationRevoked
  /// Somebody with a code has named an address, which is invited by that.
  case invitationAccepted
  case accountDeleted, accountExported
  /// Apple or Kakao told something of a person.
  case providerNotice
  /// Kakao was told that a person whose account was deleted uses the app no more.
  case providerUnlinked
  case memberRemoved, workspaceHandedOver
  /// An administrator took a chat's text and files away.
  case chatRemoved
  /// An administrator looked for chats by their text.
  case chatsSearched
  /// An administrator corrected dates of chats that lay in the future.
  case chatsRedated
  case retentionChanged, quotaChanged, holdBegan, holdEnded
  case readOnlyBegan, readOnlyEnded
  case announcementMade, announcementCancelled
  case backupMade, exportMade, restored
  case serverStarted
  /// A server was started with other settings than before, or took others while it ran.
  case settingsChanged
}

/// Who did it.
enum AuditActor: Sendable {
  case account(Int64)
  /// Whoever runs `madang admin`.
  case administrator
  case server
  /// Apple or Kakao.
  case provider(SocialProvider)
  /// Somebody who could not show who they are.
  case stranger

  func text(administrator name: String) -> String {
    switch self {
    case .account(let number): "account \(number)"
    case .administrator: name.isEmpty ? "administrator" : "administrator \(name)"
    case .server: "server"
    case .provider(let provider): "provider \(provider.rawValue)"
    case .stranger: "stranger"
    }
  }
}

/// From where an account acts.
package struct Origin: Sendable {
  package let edition: String
  /// The client's network address.
  package let address: String
  /// Of the API key by which they call; nil where none is shown. Not told by the audit log.
  package var keyHash: String?
  /// From where somebody signs in; nil where that is not looked at. Not told by the audit log.
  package var place: SignInPlace?

  package init(edition: String, address: String, keyHash: String? = nil, place: SignInPlace? = nil) {
    (self.edition, self.address, self.keyHash, self.place) = (edition, address, keyHash, place)
  }
}

/// Details of a row of the audit log, by name: short texts, and never a secret. What is too long is cut.
struct AuditDetail: Sendable, ExpressibleByDictionaryLiteral {
  /// Characters of one text.
  static let maxText = 200
  /// Bytes of all as JSON. What is beyond it is left out, the last names first.
  static let maxSize = 8192

  /// A JSON object of texts, in the order of the names.
  let json: String

  init(dictionaryLiteral elements: (String, String)...) { self.init(Dictionary(elements) { first, _ in first }) }

  init(_ values: [String: String]) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    var kept = values.mapValues { String($0.prefix(Self.maxText)) }
    var data = (try? encoder.encode(kept)) ?? Data()
    while data.count > Self.maxSize, let last = kept.keys.max() {
      kept[last] = nil
      data = (try? encoder.encode(kept)) ?? Data()
    }
    json = String(decoding: data, as: UTF8.self)
  }

  /// The texts of a row. What a newer version, or somebody else, has written otherwise is none.
  static func texts(_ json: String) -> [String: String] {
    guard json.utf8.count <= maxSize, isFlat(json) else { return [:] }
    return (try? JSONDecoder().decode([String: String].self, from: Data(json.utf8))) ?? [:]
  }

  /// Whether nothing is nested. Foundation's decoder ends the process when too much is, and a row may come from a backup that
  /// anybody made.
  private static func isFlat(_ json: String) -> Bool {
    var (depth, isInText, isEscaped) = (0, false, false)
    for byte in json.utf8 {
      if isEscaped {
        isEscaped = false
        continue
      }
      switch byte {
      case UInt8(ascii: "\\"): isEscaped = isInText
      case UInt8(ascii: "\""): isInText.toggle()
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += isInText ? 0 : 1
      default: break
      }
      if depth > 1 { return false }
    }
    return true
  }
}

/// What is to be written.
struct AuditEntry: Sendable {
  let kind: AuditKind
  let actor: AuditActor
  /// The account it is about.
  var account: Int64?
  /// The account's e-mail, or the name of what it is about.
  var subject = ""
  var origin = Origin(edition: "", address: "")
  var detail: AuditDetail = [:]
  /// Milliseconds since 1970; nil for now.
  var time: Int64?
}

/// A row of the audit log.
package struct AuditRecord: Sendable {
  package let number: Int64
  /// Milliseconds since 1970.
  package let time: Int64
  /// Of ``AuditKind``, unless a newer version has written it.
  package let kind: String
  package let actor: String
  package let account: Int64?
  package let subject: String
  package let origin: Origin
  package let node: String
  package let detail: [String: String]
}
