import MadangAPI
import MadangCore

extension Call {
  /// Credits the payment with the ids in the body.
  func creditPayment() async throws -> Billing {
    let fields = try await body.fields()
    let (id, merchantID) = (try fields.required(.impUID), try fields.required(.merchantUID))
    let caller = try await madang.caller(try principal)
    func observe(_ event: Occurrence.Payment.Event, amount: Int? = nil, code: ErrorCode? = nil) {
      service.development?.observe(
        .payment(
          .init(
            event: event, id: id, merchantID: merchantID, amount: amount, account: caller.person.email,
            code: code?.rawValue)))
    }
    do {
      let billing = try await madang.creditPayment(
        id, merchantID: merchantID, verifier: service.providers.payments, as: caller)
      observe(.credited, amount: billing.payment.amount)
      return billing
    } catch let failure as Failure {
      observe(.refused, code: Refusal(failure, in: edition).code)
      throw failure
    }
  }
}
