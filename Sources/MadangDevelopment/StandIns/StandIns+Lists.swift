import MadangCore

extension StandIns {
  /// A mail that would have been sent.
  package struct Mail: Sendable {
    package let id: Int
    package let address: String
    package let subject: String
    package let body: String
    package let html: String
  }

  /// A notification that would have been sent.
  package struct Push: Sendable {
    package let id: Int
    package let deviceToken: String
    package let edition: String
    /// JSON.
    package let payload: [UInt8]
  }

  /// Mails after this id, oldest first.
  /// - Parameter address: Only mails to this address, ignoring case; nil for all.
  package func mails(after id: Int, to address: String?) -> [Mail] {
    mails.list(after: id, to: address).map {
      Mail(id: $0.id, address: $0.to, subject: $0.subject, body: $0.body, html: $0.html)
    }
  }

  /// Notifications after this id, oldest first.
  package func pushes(after id: Int) -> [Push] {
    pushes.after(id).map {
      let device = $0.notification.device
      return Push(id: $0.id, deviceToken: device.token, edition: device.edition, payload: $0.notification.payload)
    }
  }
}
