import MadangServer

/// Something that happened at a server, as the journal tells of it. Secrets are masked. Which fields are there depends on the kind
/// (docs/reference/dev.md has the table).
package struct JournalEntry: Codable, Equatable, Sendable {
  package enum Kind: String, Codable, CaseIterable, Sendable {
    /// An HTTP request with its answer.
    case request
    /// A session of Engine.IO was opened, upgraded, closed, or refused by a fault.
    case connection
    /// A packet of Engine.IO, and of Socket.IO if it holds one.
    case packet
    /// A notification for a device.
    case push
    /// A payment was recorded by who tests, or shown by a client.
    case payment
  }

  /// Counts from 1. Requests have it by the moment of their answer.
  package let number: Int
  package let kind: Kind
  /// When it began, by the server's clock: `2026-01-05T09:00:00.000Z`.
  package let at: String
  /// When it began, in real milliseconds since the server was made.
  package let elapsed: Double
  /// The e-mail of the account whose token a request shows, whom a namespace let in, whose device is told, or who shows a payment.
  package var account: String?
  /// What somebody who tests wanted to go wrong with it.
  package var fault: AppliedFault?

  // MARK: Of requests

  /// `2024-10` or `2024-01`. Of pushes: whose form they have.
  package var edition: String?
  /// The `operationId` of the edition's OpenAPI document.
  package var operation: String?
  package var method: String?
  /// As it was sent, without the query.
  package var path: String?
  package var query: String?
  /// Nil if the client got no answer.
  package var status: Int?
  /// The contract's error code. Of payments: why one was refused.
  package var code: String?
  /// How long it took in real milliseconds, until the last byte of the answer was handed to the connection.
  package var milliseconds: Double?
  /// True for a request of long-polling, whose packets are entries of their own.
  package var longPolling: Bool?
  package var request: Message?
  package var answer: Message?

  // MARK: Of sockets

  /// The id of the Engine.IO session.
  package var session: String?
  /// `polling` or `websocket`.
  package var transport: String?
  /// Why a session was closed.
  package var reason: String?
  /// `fromClient` or `toClient`.
  package var direction: String?
  /// The type of a packet, as in rules for faults.
  package var packet: String?
  package var namespace: String?
  /// The name of a Socket.IO event; of connections `opened`, `upgraded`, `closed`, `refused`; of payments `recorded`, `credited`,
  /// `refused`.
  package var event: String?
  /// The number of an event that is to be acknowledged, or of its acknowledgement.
  package var ack: String?
  /// What a packet or push holds, as JSON or text.
  package var payload: String?
  /// Whether `payload` is only the beginning.
  package var truncated: Bool?

  // MARK: Of pushes and payments

  package var deviceToken: String?
  /// The `imp_uid`.
  package var payment: String?
  /// The `merchant_uid`.
  package var merchant: String?
  /// In won.
  package var amount: Int?

  /// Of a request's and its answer's body together, of a packet, or of a push, in bytes.
  package var size: Int?

  /// One side of an HTTP exchange.
  package struct Message: Codable, Equatable, Sendable {
    package var headers: [Header]
    /// Of the body as far as it came, in bytes.
    package var size: Int
    /// Where the body is text: it, or its beginning.
    package var body: String?
    /// Whether `body` is only the beginning.
    package var truncated: Bool?
    /// Where the body is multipart.
    package var parts: [Part]?
  }

  package struct Header: Codable, Equatable, Sendable {
    package var name: String
    package var value: String
  }

  /// A part of a multipart body.
  package struct Part: Codable, Equatable, Sendable {
    package var name: String
    /// Nil if it is no file.
    package var fileName: String?
    /// In bytes.
    package var size: Int
    /// Where it is no file: its text, or the beginning.
    package var text: String?
  }

  package init(number: Int, kind: Kind, at: String, elapsed: Double) {
    (self.number, self.kind, self.at, self.elapsed) = (number, kind, at, elapsed)
  }
}
