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
  private let arrivals = Arrivals()
  private let observe: @Sendable (Occurrence) -> Void

  init(_ observe: @escaping @Sendable (Occurrence) -> Void) { self.observe = observe }

  func send(_ claimed: ClaimedMail) {
    let mail = claimed.mail
    state.withLock { state in
      // Within the lock: who waits for it in the journal then finds it in the list.
      observe(
        .mail(
          .init(
            kind: mail.kind, recipient: mail.recipient, subject: mail.subject, body: mail.body,
            language: claimed.language)))
      state.last += 1
      state.kept.append(
        Kept(
          id: state.last, kind: mail.kind, to: mail.recipient, subject: mail.subject, body: mail.body,
          html: claimed.html, at: WireDate.string(claimed.createdAt)))
      if state.kept.count > Self.limit { state.kept.removeFirst(Self.limit / 2) }
    }
    arrivals.arrived()
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

  /// The same, as soon as there are so many or the time is over.
  func list(after id: Int, to address: String?, _ count: Int, within time: Duration) async -> [Kept] {
    await arrivals.list(of: count, within: time) { list(after: id, to: address) }
  }
}

extension ClaimedMail {
  /// As its HTML says.
  fileprivate var language: String? {
    html.firstRange(of: #"<html lang=""#).map { String(html[$0.upperBound...].prefix { $0 != "\"" }) }
  }
}
