import MadangServer

/// An event at a server as the journal shows it, with masked secrets. Its kind decides which fields it has (see the table
/// in docs/reference/dev.md).
package struct JournalEntry: Codable, Equatable, Sendable {
  package enum Kind: String, Codable, CaseIterable, Sendable {
    /// An HTTP request with its answer.
    case request
    /// An Engine.IO session was opened, upgraded, closed, or refused by a fault.
    case connection
    /// An Engine.IO packet, with the Socket.IO packet inside, if any.
    case packet
    /// A notification for a device.
    case push
    /// A payment was recorded by a test, or used by a client.
    case payment
    /// A mail to an address.
    case mail
  }

  /// Counts from 1. A request gets its number when it is answered.
  package let number: Int
  package let kind: Kind
  /// When it began, by the server's clock: `2026-01-05T09:00:00.000Z`.
  package let at: String
  /// When it began, in real milliseconds since the server was made.
  package let elapsed: Double
  /// The e-mail of the account: of a request's token, of a namespace's admission, of the notified device, or of the payer. Of
  /// mails: the recipient.
  package var account: String?
  /// The fault that was applied.
  package var fault: AppliedFault?

  // MARK: Of requests

  /// `2024-10` or `2024-01`. Of pushes: the edition of their form.
  package var edition: String?
  /// The `operationId` of the edition's OpenAPI document.
  package var operation: String?
  package var method: String?
  /// As sent, without the query.
  package var path: String?
  package var query: String?
  /// Nil if the client got no answer.
  package var status: Int?
  /// The contract's error code. Of payments: the reason for a refusal.
  package var code: String?
  /// Real milliseconds until the last byte of the answer was written to the connection.
  package var milliseconds: Double?
  /// True for a long-polling request, whose packets are separate entries.
  package var longPolling: Bool?
  package var request: Message?
  package var answer: Message?

  // MARK: Of sockets

  /// The id of the Engine.IO session.
  package var session: String?
  /// `polling` or `websocket`.
  package var transport: String?
  /// The reason why a session was closed.
  package var reason: String?
  /// `fromClient` or `toClient`.
  package var direction: String?
  /// The type of a packet, as in rules for faults.
  package var packet: String?
  package var namespace: String?
  /// The name of a Socket.IO event; of connections `opened`, `upgraded`, `closed`, `refused`; of payments `recorded`, `credited`,
  /// `refused`; of mails `passwordReset`, `invitation` and the like.
  package var event: String?
  /// The number of an event that needs an acknowledgement, or of the acknowledgement.
  package var ack: String?
  /// The content of a packet or push, as JSON or text; the text of a mail.
  package var payload: String?
  /// Whether `payload` is truncated.
  package var truncated: Bool?

  // MARK: Of pushes, payments and mails

  package var subject: String?
  /// `en` or `ko`.
  package var language: String?
  package var deviceToken: String?
  /// The `imp_uid`.
  package var payment: String?
  /// The `merchant_uid`.
  package var merchant: String?
  /// In won.
  package var amount: Int?

  /// Of a request's and its answer's body together, of a packet, of a push, or of a mail's text, in bytes.
  package var size: Int?

  /// One side of an HTTP exchange.
  package struct Message: Codable, Equatable, Sendable {
    package var headers: [Header]
    /// Bytes of the body that arrived.
    package var size: Int
    /// The body if it is text, possibly truncated.
    package var body: String?
    /// Whether `body` is truncated.
    package var truncated: Bool?
    /// The parts of a multipart body.
    package var parts: [Part]?
  }

  package struct Header: Codable, Equatable, Sendable {
    package var name: String
    package var value: String
  }

  /// A part of a multipart body.
  package struct Part: Codable, Equatable, Sendable {
    package var name: String
    /// Nil if it is not a file.
    package var fileName: String?
    /// In bytes.
    package var size: Int
    /// The text of a part that is not a file, possibly truncated.
    package var text: String?
  }

  package init(number: Int, kind: Kind, at: String, elapsed: Double) {
    (self.number, self.kind, self.at, self.elapsed) = (number, kind, at, elapsed)
  }
}
