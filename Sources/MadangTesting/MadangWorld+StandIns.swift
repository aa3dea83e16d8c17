import MadangDevelopment

/// The status of a payment at the payment provider.
public enum MadangPaymentStatus: String, Sendable {
  case paid, ready, cancelled, failed
}

/// The provider of an account that people sign in with.
public enum MadangSocialProvider: String, Sendable {
  case apple, kakao
}

extension MadangWorld {
  /// Records a payment at the stand-in for the payment provider. A reset removes payments.
  ///
  /// - Parameters:
  ///   - amount: In won.
  ///   - merchantUID: The client's name for the order.
  /// - Returns: The `imp_uid`, which the client then sends.
  /// - Throws: ``MadangTestingError``.
  public func pay(_ amount: Int, for merchantUID: String, status: MadangPaymentStatus = .paid) throws -> String {
    try MadangTestingError.wording {
      try kit.people.server().standIns.recordPayment(of: merchantUID, amount: amount, status: status.rawValue)
    }
  }

  /// Returns a token as the provider would issue it. Clients can sign in with it until the next reset.
  ///
  /// - Parameters:
  ///   - subject: The provider's id for the account.
  ///   - email: The e-mail that the provider discloses; nil for none.
  /// - Throws: ``MadangTestingError``.
  public func socialToken(
    from provider: MadangSocialProvider, subject: String, email: String? = nil, nickname: String? = nil
  ) throws -> String {
    try MadangTestingError.wording {
      try kit.people.server().standIns.socialToken(
        from: provider.rawValue, subject: subject, email: email, nickname: nickname)
    }
  }
}
