import MadangAPI
import NIOHTTP1

/// Payments, which a server in development mode makes itself.
enum PaymentRules {
  private struct Payment {
    let merchantID: String
    let id: String
    var fields: JSON { ["imp_uid": .text(id), "merchant_uid": .text(merchantID)] }
  }

  private static func payment(_ trial: Trial, amount: Int = 100, status: String = "paid") async throws -> Payment {
    let merchantID = "ios_\(Trial.unique())"
    let made = try await trial.develop(
      .POST, "payments", ["merchant_uid": .text(merchantID), "amount": .number("\(amount)"), "status": .text(status)])
    return Payment(merchantID: merchantID, id: try made.text("imp_uid"))
  }

  private static func validate(_ person: Person, _ fields: JSON) async throws -> Answer {
    try await person.call(.POST, "store/pay/validation", .json(fields))
  }

  static let all: [Rule] = [
    .shape(
      "payments.shape", .objects, "A payment answers exactly the keys of the contract.", needs: [.development],
      \.billing
    ) {
      try await validate(try await $0.person(), try await payment($0).fields)
    },
    Rule(
      "payments.values", .storeAndPayments, "sesacCoin is the number of coins bought, and the balance grows by it.",
      needs: [.development]
    ) { trial in
      let person = try await trial.person()
      let payment = try await payment(trial, amount: 500)
      let billing = try await validate(person, payment.fields).json()
      try expectEqual("sesacCoin", try billing.integer("sesacCoin"), 50)
      try expectEqual("the price", try billing.integer(trial.isOctober ? "price" : "amount"), 500)
      try expectEqual("merchant_uid", try billing.text("merchant_uid"), payment.merchantID)
      if trial.isOctober {
        try expectEqual("buyer_id", billing["buyer_id"], try person.userID)
        try expectEqual("productName", try billing.text("productName"), "50 Coin")
      }
      try expectEqual("coins", try await person.coins(), 150)
    },
    Rule("payments.form", .encodings, "The payment ids are taken as a form.", needs: [.development]) { trial in
      let payment = try await payment(trial)
      let form = RequestBody.form([("imp_uid", payment.id), ("merchant_uid", payment.merchantID)])
      try await trial.person().call(.POST, "store/pay/validation", form).hasShape(trial.shapes.billing)
    },
    Rule("payments.missing", .storeAndPayments, "A field that is missing, not a string, or empty is E11.") { trial in
      let person = try await trial.person()
      for fields: JSON in [
        [:], ["imp_uid": "x"], ["imp_uid": "", "merchant_uid": ""], ["imp_uid": 1, "merchant_uid": "x"],
      ] {
        try await validate(person, fields).isRefused(.badRequest)
      }
    },
    .refusal(.paymentUnknown, "payments.unknown", .storeAndPayments, "An unknown payment is E81.") {
      let id = JSON.text("imp_\(Trial.unique())")
      return try await validate(try await $0.person(), ["imp_uid": id, "merchant_uid": id])
    },
    Rule(
      "payments.used", .storeAndPayments, "A payment that was credited to any account is E81.", needs: [.development]
    ) {
      trial in
      let (person, stranger) = (try await trial.person(), try await trial.person())
      let payment = try await payment(trial)
      try await validate(person, payment.fields).isSuccess()
      for caller in [person, stranger] { try await validate(caller, payment.fields).isRefused(.paymentUnknown) }
      try expectEqual("coins", try await person.coins(), 110)
      try expectEqual("coins of the other", try await stranger.coins(), 100)
    },
    Rule(
      "payments.invalid", .storeAndPayments,
      "A payment that is unpaid, cancelled or fits no item is E82, without credit.",
      needs: [.development]
    ) { trial in
      let person = try await trial.person()
      for payment in [
        try await payment(trial, status: "ready"), try await payment(trial, status: "cancelled"),
        try await payment(trial, status: "failed"), try await payment(trial, amount: 123),
      ] {
        try await validate(person, payment.fields).isRefused(.paymentInvalid)
      }
      try expectEqual("coins", try await person.coins(), 100)
    },
    .refusal(
      .paymentInvalid, "payments.other-merchant-id", .storeAndPayments,
      "Another merchant_uid than the payment's is E82.",
      needs: [.development]
    ) {
      let fields: JSON = ["imp_uid": .text(try await payment($0).id), "merchant_uid": .text("ios_\(Trial.unique())")]
      return try await validate(try await $0.person(), fields)
    },
    Rule(
      "payments.once", .storeAndPayments, "One of several parallel calls for a payment credits it, the others are E81.",
      needs: [.development]
    ) { trial in
      let person = try await trial.person()
      let fields = try await payment(trial).fields
      try await parallel(10, successes: 1, others: .paymentUnknown) { try await validate(person, fields) }
      try expectEqual("coins", try await person.coins(), 110)
    },
  ]
}
