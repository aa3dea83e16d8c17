import MadangCore
import MadangServer
import Synchronization

/// Payments that tests record (`POST /_dev/payments`).
final class DevelopmentPayments: PaymentVerifier {
  enum Status: String, CallChoice {
    case paid, ready, cancelled, failed
  }

  struct NewPayment: CallFields {
    static let names = CodingKeys.allCases.map(\.rawValue)

    let merchantUID: String
    let amount: Int
    let status: Status?
    let impUID: String?

    enum CodingKeys: String, CodingKey, CaseIterable {
      case merchantUID = "merchant_uid"
      case amount
      case status
      case impUID = "imp_uid"
    }
  }

  struct Recorded: Encodable {
    let impUID: String

    enum CodingKeys: String, CodingKey {
      case impUID = "imp_uid"
    }
  }

  private let clock: Clock
  private let ids: IDSource
  private let payments = Mutex(RecentValues<Payment>())

  init(clock: Clock, ids: IDSource) {
    self.clock = clock
    self.ids = ids
  }

  /// Records a payment, or replaces the one with this `imp_uid`, which is generated if absent.
  func record(_ payment: NewPayment) throws(BadCall) -> Payment {
    let id = payment.impUID ?? "imp_\(ids.name(12))"
    guard !id.isEmpty else { throw BadCall("imp_uid: must not be empty") }
    try StandInText.check(id, "imp_uid")
    try StandInText.check(payment.merchantUID, "merchant_uid")
    guard payment.amount >= 0 else { throw BadCall("amount: a whole number from 0") }
    let made = Payment(
      id: id, merchantID: payment.merchantUID, amount: payment.amount, isSettled: payment.status ?? .paid == .paid,
      paidAt: clock.now)
    payments.withLock { $0.set(id, made) }
    return made
  }

  func payment(_ id: String, merchantID _: String) -> Payment? { payments.withLock { $0[id] } }

  /// The payments as stored in snapshots.
  var kept: RecentValues<Payment> {
    get { payments.withLock(\.self) }
    set { payments.withLock { $0 = newValue } }
  }
}
