import MadangDevelopment
import MadangServer

/// One entry of the journal. Secrets are masked. Which properties are set depends on the kind.
public struct MadangEntry: Sendable, CustomStringConvertible {
  private let entry: JournalEntry

  init(_ entry: JournalEntry) { self.entry = entry }

  /// The number of the entry, from 1.
  public var number: Int { entry.number }
  /// `request`, `connection`, `packet`, `push`, `payment` or `mail`.
  public var kind: String { entry.kind.rawValue }
  /// The start time by the world's clock: `2026-01-05T09:00:00.000Z`.
  public var date: String { entry.at }
  /// The start time in real time, since the server was created.
  public var elapsed: Duration { .milliseconds(entry.elapsed) }
  /// The e-mail of the account.
  public var account: String? { entry.account }
  /// The kind of the fault that was applied.
  public var fault: String? { entry.fault?.kind }
  /// The `operationId`.
  public var operation: String? { entry.operation }
  public var edition: String? { entry.edition }
  public var method: String? { entry.method }
  public var path: String? { entry.path }
  /// The query of the URL, without the `?`.
  public var query: String? { entry.query }
  /// Nil if the client got no answer.
  public var status: Int? { entry.status }
  /// The error code of the contract.
  public var code: String? { entry.code }
  /// The duration of a request, in real time.
  public var duration: Duration? { entry.milliseconds.map { .milliseconds($0) } }
  /// A header field of a request; names are case-insensitive. Secrets are `***`.
  public func header(_ name: String) -> String? { entry.request?.value(of: name) }
  /// A header field of an answer; names are case-insensitive.
  public func answerHeader(_ name: String) -> String? { entry.answer?.value(of: name) }
  /// The body of a request as text, or its beginning. Nil for a multipart body, which has ``parts``.
  public var body: String? { entry.request?.body }
  /// Whether ``body`` is only the beginning.
  public var isBodyTruncated: Bool { entry.request?.truncated ?? false }
  /// The parts of a request's multipart body; empty for any other.
  public var parts: [Part] {
    (entry.request?.parts ?? []).map { Part(name: $0.name, fileName: $0.fileName, size: $0.size, text: $0.text) }
  }
  /// The body of an answer as text, or its beginning.
  public var answer: String? { entry.answer?.body }
  /// Whether ``answer`` is only the beginning.
  public var isAnswerTruncated: Bool { entry.answer?.truncated ?? false }
  /// Whether the request is a long-polling request. Its packets are separate entries.
  public var isLongPolling: Bool { entry.longPolling ?? false }
  /// The Engine.IO session.
  public var session: String? { entry.session }
  /// `polling` or `websocket`.
  public var transport: String? { entry.transport }
  /// Why a connection was closed.
  public var reason: String? { entry.reason }
  public var namespace: String? { entry.namespace }
  public var packet: String? { entry.packet }
  public var event: String? { entry.event }
  public var isFromClient: Bool? { entry.direction.map { $0 == "fromClient" } }
  /// The ID of an event that expects an acknowledgement, or of its acknowledgement.
  public var ack: String? { entry.ack }
  /// The content of a packet or push, as JSON or text, or its beginning; the text of a mail, in which codes of links are `***`.
  public var payload: String? { entry.payload }
  /// Whether ``payload`` is only the beginning.
  public var isPayloadTruncated: Bool { entry.truncated ?? false }
  public var deviceToken: String? { entry.deviceToken }
  /// The `imp_uid` of a payment.
  public var payment: String? { entry.payment }
  /// The `merchant_uid` of a payment.
  public var merchant: String? { entry.merchant }
  /// The amount of a payment, in won.
  public var amount: Int? { entry.amount }
  /// The subject of a mail.
  public var subject: String? { entry.subject }
  /// The language of a mail: `en` or `ko`.
  public var language: String? { entry.language }
  /// Size in bytes: of a request's and its answer's body together, of a packet, of a push, or of a mail's text.
  public var size: Int? { entry.size }

  /// A part of a multipart body.
  public struct Part: Equatable, Sendable {
    public let name: String
    /// Nil if the part is not a file.
    public let fileName: String?
    /// In bytes.
    public let size: Int
    /// The text of a part that is not a file, or its beginning. Secrets are `***`.
    public let text: String?
  }

  public var description: String { entry.words }
}

extension JournalEntry.Message {
  fileprivate func value(of name: String) -> String? {
    headers.first { $0.name.lowercased() == name.lowercased() }?.value
  }
}
