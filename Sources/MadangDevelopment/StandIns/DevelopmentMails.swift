import MadangAPI
import MadangCore
import Synchronization

/// Keeps the latest mails instead of sending them (`GET /_dev/mails`).
final class DevelopmentMails: MailSender {
  private static let limit = 1000

  struct State: Sendable {
    var kept: [Kept] = []
    var last = 0
  }

  struct Kept: Sendable, Encodable {
    let id: Int
    let kind: String
    let to: String
    let subject: String
    let body: String
    let html: String
    let at: String
  }

  private let state = Mutex(State())

  func send(_ claimed: ClaimedMail) {
    let mail = claimed.mail
    state.withLock { state in
      state.last += 1
      state.kept.append(
        Kept(
          id: state.last, kind: mail.kind, to: mail.recipient, subject: mail.subject, body: mail.body,
          html: claimed.html, at: WireDate.string(claimed.createdAt)))
      if state.kept.count > Self.limit { state.kept.removeFirst(Self.limit / 2) }
    }
  }

  /// The mails as stored in snapshots.
  var kept: State {
    get { state.withLock(\.self) }
    set { state.withLock { $0 = newValue } }
  }

  /// Mails after this id, oldest first.
  /// - Parameter address: Only mails to this address, ignoring case; nil for all.
  func list(after id: Int, to address: String?) -> [Kept] {
    let key = address?.lowercased()
    return kept.kept.filter { $0.id > id && (key == nil || $0.to.lowercased() == key) }
  }
}
