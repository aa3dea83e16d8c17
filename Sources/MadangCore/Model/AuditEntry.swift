import Foundation

/// The kinds of audit rows. The names are stored and sent to other programs, so they never change.
package enum AuditKind: String, CaseIterable, Sendable {
  case signUp, signIn, signOut
  /// A sign-in failed, or the limit of attempts was reached.
  case signInRefused
  /// A sign-up that was not allowed.
  case signUpRefused
  /// An administrator ended sessions.
  case sessionEnded
  /// A password reset link was mailed to the account's address.
  case passwordResetSent
  /// A confirmation link was mailed to the account's address.
  case confirmationSent
  /// The address was confirmed, by such a link or by an administrator.
  case addressConfirmed
  /// An administrator approved an account that was waiting.
  case accountApproved
  case passwordChanged, accountDisabled, accountEnabled, coinsGiven
  case keyCreated, keyRevoked, tokenKeyReplaced
  case invitationMade, invitationRevoked
  /// A holder of an invitation code named an address, which is invited from now on.
  case invitationAccepted
  case accountDeleted, accountExported
  /// Apple or Kakao sent a notice about a person.
  case providerNotice
  /// Kakao was notified that a person whose account was deleted no longer uses the app.
  case providerUnlinked
  /// A new account did not join the workspace that its invitation leads to.
  case memberNotAdded
  case memberAdded, memberRemoved, workspaceHandedOver, workspaceDeleted
  /// An administrator removed a chat's text and files.
  case chatRemoved
  /// An administrator searched for chats by text.
  case chatsSearched
  /// An administrator corrected the dates of chats that were in the future.
  case chatsRedated
  case retentionChanged, quotaChanged, holdBegan, holdEnded
  case readOnlyBegan, readOnlyEnded
  case announcementMade, announcementCancelled
  case administratorAdded, administratorRemoved
  /// An administrator's password or second step was changed.
  case administratorChanged
  /// A link for a new administrator.
  case administratorLinkMade, administratorLinkWithdrawn
  case administratorSignedIn
  /// A sign-in at the console failed, or a signed-in administrator gave a wrong password.
  case administratorRefused
  case backupMade, exportMade, restored
  /// The server got a certificate, or a try to get one failed.
  case certificateIssued, certificateFailed
  /// An administrator asked for a new certificate.
  case certificateAsked
  case serverStarted
  /// A server started with different settings than before, or changed settings while running.
  case settingsChanged

  /// The kinds that show that an account's owner was there.
  static let visits: [AuditKind] = [.signUp, .signIn, .signOut]
}

/// The administrator who acts, as the audit log names it.
package struct Administrator: Sendable {
  /// The name of the administrator's account, or of the system account that runs `madang admin`.
  package let name: String
  /// The number of the administrator's account; nil for `madang admin`.
  package let number: Int64?
  /// The network address of the call; empty on the server's machine.
  package let address: String

  package init(name: String, number: Int64? = nil, address: String = "") {
    (self.name, self.number, self.address, isServer) = (name, number, address, false)
  }

  /// The server itself, which does by a plan what administrators also do.
  package static let server = Administrator()

  let isServer: Bool

  private init() { (name, number, address, isServer) = ("server", nil, "", true) }
}

/// The originator of an audited action.
enum AuditActor: Sendable {
  case account(Int64)
  case administrator(Administrator)
  case server
  /// Apple or Kakao.
  case provider(SocialProvider)
  /// A client that could not prove its identity.
  case unknownClient

  /// As it is stored.
  var text: String {
    switch self {
    case .account(let number): "account \(number)"
    case .server: "server"
    case .administrator(let one) where one.isServer: Self.server.text
    case .administrator(let one):
      (["administrator"] + [one.number.map { "#\($0)" } ?? "", one.name].filter { !$0.isEmpty }).joined(separator: " ")
    case .provider(let provider): "provider \(provider.rawValue)"
    case .unknownClient: "stranger"
    }
  }

  /// Where the actor's calls come from; nil if the row says it.
  var origin: Origin? {
    if case .administrator(let one) = self { Origin(edition: "", address: one.address) } else { nil }
  }
}

/// Where a call of an account comes from.
package struct Origin: Sendable {
  package let edition: String
  /// The client's network address.
  package let address: String
  /// The hash of the API key of the call; nil if the call has no key. Not written to the audit log.
  package var keyHash: String?
  /// The place of the sign-in; nil if places are not checked. Not written to the audit log.
  package var place: SignInPlace?
  /// Whether a sign-up from here needs an invitation, unless the rules are stricter. Not written to the audit log.
  package var needsInvitation = false
  /// The code of the invitation that a sign-up shows; nil if it shows none. Not written to the audit log.
  package var invitation: String?
  /// `Accept-Language` of the request; nil if it is not known. Not written to the audit log.
  package var languages: String?

  package init(
    edition: String, address: String, keyHash: String? = nil, place: SignInPlace? = nil, languages: String? = nil
  ) {
    (self.edition, self.address, self.keyHash) = (edition, address, keyHash)
    (self.place, self.languages) = (place, languages)
  }
}

/// Named details of an audit row: short texts, never secrets. Texts that are too long are cut.
struct AuditDetail: Sendable, ExpressibleByDictionaryLiteral {
  /// Limit of one text, in characters.
  static let maxText = 200
  /// Limit of all details as JSON, in bytes. Details beyond it are dropped, in descending order of their names.
  static let maxSize = 8192

  /// A JSON object with string values, sorted by name.
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

  /// Reads the details of a row. Empty if a newer version or another program wrote them in a different form.
  static func texts(_ json: String) -> [String: String] {
    guard json.utf8.count <= maxSize, isFlat(json) else { return [:] }
    return (try? JSONDecoder().decode([String: String].self, from: Data(json.utf8))) ?? [:]
  }

  /// Whether the JSON has no nesting. Foundation's decoder crashes the process when nesting is too deep, and a row may come from an
  /// untrusted backup.
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

/// An audit row to be written.
struct AuditEntry: Sendable {
  let kind: AuditKind
  let actor: AuditActor
  /// The account that the row is about.
  var account: Int64?
  /// The account's e-mail address, or the name of another subject.
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
  /// Raw kind; may be unknown to this version.
  package let kind: String
  package let actor: String
  package let account: Int64?
  package let subject: String
  package let origin: Origin
  package let node: String
  package let detail: [String: String]
}
