import MadangAPI
import MadangCore
import MadangServer

/// Stand-ins for the providers that a server's settings leave out, and the sessions in which the kit acts for accounts.
package final class StandIns: Sendable {
  let payments: DevelopmentPayments
  let pushes: DevelopmentPushes
  let mails: DevelopmentMails
  let sessions = DevelopmentSessions()
  private let tokens: [SocialProvider: DevelopmentSocialTokens]
  private let observe: @Sendable (Occurrence) -> Void

  /// - Parameter observe: Receives events at the stand-ins. Must not block.
  init(clock: Clock, ids: IDSource, observe: @escaping @Sendable (Occurrence) -> Void) {
    self.observe = observe
    payments = DevelopmentPayments(clock: clock, ids: ids)
    pushes = DevelopmentPushes(observe)
    mails = DevelopmentMails(observe)
    tokens = Dictionary(
      uniqueKeysWithValues: SocialProvider.allCases.map { ($0, DevelopmentSocialTokens($0, ids: ids)) })
  }

  /// The stand-ins as the server uses them.
  var providers: ProviderStandIns {
    ProviderStandIns(payments: payments, social: tokens, pushes: pushes, mails: mails)
  }

  /// Records a customer's payment.
  func record(_ new: DevelopmentPayments.NewPayment) throws(BadCall) -> DevelopmentPayments.Recorded {
    let payment = try payments.record(new)
    observe(
      .payment(.init(event: .recorded, id: payment.id, merchantID: payment.merchantID, amount: payment.amount)))
    return DevelopmentPayments.Recorded(impUID: payment.id)
  }

  /// Issues a token like that of a provider for a person who signs in.
  func issue(_ new: DevelopmentSocialTokens.NewToken) throws(BadCall) -> DevelopmentSocialTokens.Issued {
    guard let tokens = SocialProvider(rawValue: new.provider).flatMap({ tokens[$0] }) else {
      throw BadCall("provider: apple or kakao")
    }
    return try tokens.issue(new)
  }

  /// Reports the result of a payment that a client claimed.
  func note(_ payment: Learned.Payment) {
    let (event, amount, code): (Occurrence.Payment.Event, Int?, ErrorCode?) =
      switch payment.outcome {
      case .credited(let amount): (.credited, amount, nil)
      case .refused(let code): (.refused, nil, code)
      }
    observe(
      .payment(
        .init(
          event: event, id: payment.id, merchantID: payment.merchantID, amount: amount, account: payment.account,
          code: code?.rawValue)))
  }

  /// Records a customer's payment; returns the `imp_uid` for the client.
  /// - Parameter status: `paid`, `ready`, `cancelled` or `failed`.
  package func recordPayment(of merchantUID: String, amount: Int, status: String) throws(BadCall) -> String {
    guard let status = DevelopmentPayments.Status(rawValue: status) else {
      throw BadCall("status: this status does not exist")
    }
    return try record(.init(merchantUID: merchantUID, amount: amount, status: status, impUID: nil)).impUID
  }

  /// A token like those of a provider, `apple` or `kakao`.
  package func socialToken(
    from provider: String, subject: String, email: String?, nickname: String?
  ) throws(BadCall) -> String {
    try issue(.init(provider: provider, subject: subject, email: email, nickname: nickname)).token
  }
}

extension StandIns {
  /// The state of the stand-ins, as stored in snapshots.
  struct Moment: Sendable {
    fileprivate var payments = RecentValues<Payment>()
    fileprivate var profiles: [SocialProvider: RecentValues<SocialProfile>] = [:]
    fileprivate var pushes = DevelopmentPushes.State()
    fileprivate var mails = DevelopmentMails.State()
    fileprivate var sessions: [DevelopmentSessions.Key: SessionID] = [:]
  }

  var moment: Moment {
    get {
      Moment(
        payments: payments.kept, profiles: tokens.mapValues(\.kept), pushes: pushes.kept, mails: mails.kept,
        sessions: sessions.kept)
    }
    set {
      (payments.kept, pushes.kept, sessions.kept) = (newValue.payments, newValue.pushes, newValue.sessions)
      mails.kept = newValue.mails
      for (provider, profiles) in newValue.profiles { tokens[provider]?.kept = profiles }
    }
  }
}

/// Limits of texts that the stand-ins keep: thousands of them, in each world.
enum StandInText {
  private static let maxSize = 1000

  /// Throws `BadCall` for a text that is too long.
  static func check(_ text: String?, _ field: String) throws(BadCall) {
    if let text, text.utf8.count > maxSize { throw BadCall("\(field): \(maxSize) bytes at most") }
  }
}
