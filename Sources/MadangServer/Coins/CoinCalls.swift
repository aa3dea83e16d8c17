import MadangAPI
import MadangCore

extension Call {
  /// Credits the payment with the ids in the body.
  func creditPayment() async throws -> Billing {
    let fields = try await body.fields()
    let (id, merchantID) = (try fields.required(.impUID), try fields.required(.merchantUID))
    let caller = try await madang.caller(try principal)
    func report(_ outcome: Learned.Payment.Outcome) {
      self.outcome.payment = .init(id: id, merchantID: merchantID, account: caller.person.email, outcome: outcome)
    }
    do {
      let billing = try await madang.creditPayment(
        id, merchantID: merchantID, verifier: service.providers.payments, as: caller)
      report(.credited(amount: billing.payment.amount))
      return billing
    } catch let failure as Failure {
      report(.refused(Refusal(failure, in: edition).code))
      throw failure
    }
  }
}
