import Logging
import Storage

/// A payment as its provider describes it.
package struct Payment: Equatable, Sendable {
  /// The provider's id, `imp_uid`.
  package let id: String
  /// The shop's id, `merchant_uid`.
  package let merchantID: String
  /// Korean won.
  package let amount: Int
  /// Whether the payment was paid in full and nothing of it was cancelled.
  package let isSettled: Bool
  /// Milliseconds since 1970.
  package let paidAt: Int64

  package init(id: String, merchantID: String, amount: Int, isSettled: Bool, paidAt: Int64) {
    self.id = id
    self.merchantID = merchantID
    self.amount = amount
    self.isSettled = isSettled
    self.paidAt = paidAt
  }
}

/// Looks up payments at their provider.
package protocol PaymentVerifier: Sendable {
  /// The payment with these ids, `imp_uid` and `merchant_uid`, as an app presents them; nil if there is none. The look-up must use the
  /// provider's own id, because the other one may name another payment. Throws if the provider cannot be asked.
  func payment(_ id: String, merchantID: String) async throws -> Payment?
}

/// A payment that was credited.
package struct Billing: Sendable {
  package let id: ObjectID
  package let buyer: ObjectID
  package let payment: Payment
  package let item: StoreItem
  /// When it was credited, in milliseconds since 1970.
  package let createdAt: Int64
}

extension Madang {
  /// The items of the store, ordered by price.
  package var storeItems: [StoreItem] { settings.coins.items.sorted { $0.amount < $1.amount } }

  /// Credits the coins of a payment to the caller, exactly once, even if it is requested several times or by several callers.
  ///
  /// Throws, in this order: `.invalid` for an empty id; `.paymentUnknown` if either id was credited before, if the provider does not know
  /// the payment or cannot be asked, if another account presented it first, or in read-only mode; `.paymentInvalid` if the ids do not
  /// belong together, the payment is not paid, or no item has its amount (wire contract, Store and payments).
  package func creditPayment(
    _ id: String, merchantID: String, verifier: (any PaymentVerifier)?, as caller: Caller
  ) async throws -> Billing {
    for (field, text) in [("imp_uid", id), ("merchant_uid", merchantID)] {
      guard !text.isEmpty, !text.hasNUL else { throw Failure(.invalid, "\(field): is empty or has a NUL") }
    }
    do { return try await credit(id, merchantID, verifier, as: caller) } catch let error as StorageError
      where error.code == .writesStopped
    {
      // Some clients treat any other code as "sign in again". The payment stays unused and can be sent again.
      throw Failure(.paymentUnknown, "the database is in read-only mode")
    }
  }

  private func credit(
    _ id: String, _ merchantID: String, _ verifier: (any PaymentVerifier)?, as caller: Caller
  ) async throws -> Billing {
    let alreadyUsed = Failure(.paymentUnknown, "the payment was credited before")
    guard try await database.read({ try !$0.isCredited(id, merchantID: merchantID) }) else { throw alreadyUsed }
    let payment = try await lookUp(id, merchantID, verifier)
    guard payment.id == id, payment.merchantID == merchantID else {
      throw Failure(.paymentInvalid, "imp_uid and merchant_uid do not belong together")
    }
    guard try await claim(payment, as: caller) else {
      throw Failure(.paymentUnknown, "another account has already used the payment")
    }
    guard payment.isSettled else { throw Failure(.paymentInvalid, "the payment is not paid, or was cancelled") }
    guard let item = settings.coins.items.first(where: { $0.amount == payment.amount }) else {
      throw Failure(.paymentInvalid, "no item costs \(payment.amount) won")
    }
    return try await database.write { [self] transaction in
      let now = clock.now
      let inserted = try transaction.insertPayment(payment, item, uuid: ids.uuid(), user: caller.id, now: now)
      guard let inserted else { throw alreadyUsed }
      try transaction.addCoins(item.coins, to: caller.id, for: "payment", now: now)
      return Billing(id: inserted, buyer: caller.person.id, payment: payment, item: item, createdAt: now)
    }
  }

  /// Binds a payment, paid or not, to the first account that presents both its ids. Another account could learn the ids before the payment
  /// is credited.
  private func claim(_ payment: Payment, as caller: Caller) async throws -> Bool {
    try await database.write { [now = clock.now] transaction in
      try transaction.claimPayment(payment.id, user: caller.id, now: now) == caller.id
    }
  }

  private func lookUp(_ id: String, _ merchantID: String, _ verifier: (any PaymentVerifier)?) async throws
    -> Payment
  {
    guard let verifier else { throw Failure(.paymentUnknown, "no payment provider is configured") }
    let payment: Payment?
    do { payment = try await verifier.payment(id, merchantID: merchantID) } catch {
      // Some clients treat any other code as "sign in again". The payment stays unused and can be sent again.
      logger.error("the payment provider cannot be reached", metadata: ["error": "\(String(reflecting: error))"])
      throw Failure(.paymentUnknown, "the payment provider cannot be reached")
    }
    guard let payment else { throw Failure(.paymentUnknown, "the payment provider does not know the payment") }
    return payment
  }
}
