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

  /// The mails that the server would have sent, oldest first: the latest 1000.
  ///
  /// - Parameters:
  ///   - address: Only mails to this address; nil for all.
  ///   - id: Only mails with a higher ``MadangMail/id``.
  /// - Throws: ``MadangTestingError``.
  public func mails(to address: String? = nil, after id: Int = 0) throws -> [MadangMail] {
    try MadangTestingError.wording {
      try kit.people.server().standIns.mails(after: id, to: address).map {
        MadangMail(id: $0.id, address: $0.address, subject: $0.subject, body: $0.body, html: $0.html)
      }
    }
  }

  /// The notifications that the server would have sent, oldest first: the latest 10,000.
  /// - Parameter id: Only notifications with a higher ``MadangPush/id``.
  /// - Throws: ``MadangTestingError``.
  public func pushes(after id: Int = 0) throws -> [MadangPush] {
    try MadangTestingError.wording {
      try kit.people.server().standIns.pushes(after: id).map {
        MadangPush(
          id: $0.id, deviceToken: $0.deviceToken, edition: $0.edition,
          payload: String(decoding: $0.payload, as: UTF8.self))
      }
    }
  }
}

/// A mail that the server would have sent.
public struct MadangMail: Sendable {
  public let id: Int
  public let address: String
  public let subject: String
  /// The text.
  public let body: String
  public let html: String
}

/// A notification that the server would have sent.
public struct MadangPush: Sendable {
  public let id: Int
  public let deviceToken: String
  /// The edition in whose form the payload is.
  public let edition: String
  /// JSON.
  public let payload: String
}
