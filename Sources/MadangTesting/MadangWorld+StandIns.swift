import MadangDevelopment
import MadangServer

/// What a payment is in the books of who took it.
public enum MadangPaymentStatus: String, Sendable {
  case paid, ready, cancelled, failed
}

/// Whose accounts people sign in with.
public enum MadangSocialProvider: String, Sendable {
  case apple, kakao
}

extension MadangWorld {
  /// Records that somebody has paid. Payments are forgotten by a reset.
  ///
  /// - Parameters:
  ///   - amount: In won.
  ///   - merchantUID: The order, as the client calls it.
  /// - Returns: The `imp_uid` that the client shows then.
  /// - Throws: ``MadangTestingError``.
  public func pay(_ amount: Int, for merchantUID: String, status: MadangPaymentStatus = .paid) throws -> String {
    try MadangTestingError.wording {
      try kit.people.server().recordPayment(of: merchantUID, amount: amount, status: status.rawValue)
    }
  }

  /// A token as the provider would issue it: clients sign in with it until the next reset.
  ///
  /// - Parameters:
  ///   - subject: Who it is for the provider.
  ///   - email: As the provider knows it; nil if it tells none.
  /// - Throws: ``MadangTestingError``.
  public func socialToken(
    from provider: MadangSocialProvider, subject: String, email: String? = nil, nickname: String? = nil
  ) throws -> String {
    try MadangTestingError.wording {
      try kit.people.server().socialToken(
        from: provider.rawValue, subject: subject, email: email, nickname: nickname)
    }
  }
}
