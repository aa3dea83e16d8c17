/// An event at a server in development mode, besides requests and packets.
package enum Occurrence: Sendable {
  case push(Push)
  case payment(Payment)
  case mail(Mail)

  /// A notification that a device would get.
  package struct Push: Sendable {
    /// The number of the account it is for.
    package let account: Int64
    package let deviceToken: String
    package let edition: String
    /// JSON.
    package let payload: [UInt8]

    package init(account: Int64, deviceToken: String, edition: String, payload: [UInt8]) {
      (self.account, self.deviceToken, self.edition, self.payload) = (account, deviceToken, edition, payload)
    }
  }

  /// A mail that would be sent.
  package struct Mail: Sendable {
    /// A `MailKind`.
    package let kind: String
    package let recipient: String
    package let subject: String
    package let body: String
    /// `en` or `ko`; nil for a mail of text only.
    package let language: String?

    package init(kind: String, recipient: String, subject: String, body: String, language: String?) {
      (self.kind, self.recipient, self.subject) = (kind, recipient, subject)
      (self.body, self.language) = (body, language)
    }
  }

  package struct Payment: Sendable {
    package enum Event: String, Sendable {
      /// A test recorded it.
      case recorded
      /// A client used it and got its coins.
      case credited
      /// A client used it and was refused.
      case refused
    }

    package let event: Event
    package let id: String
    package let merchantID: String
    /// In won, if known.
    package let amount: Int?
    /// The e-mail of the account that used it.
    package let account: String?
    /// The contract's code of a refusal.
    package let code: String?

    package init(
      event: Event, id: String, merchantID: String, amount: Int? = nil, account: String? = nil, code: String? = nil
    ) {
      (self.event, self.id, self.merchantID) = (event, id, merchantID)
      (self.amount, self.account, self.code) = (amount, account, code)
    }
  }
}
