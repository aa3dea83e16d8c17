import MadangAPI
import MadangCore

/// A row of the audit log as administrators and other programs get it, with its date as it travels.
public struct AuditSummary: Encodable, Sendable {
  public let number: Int64
  public let at: String
  /// What happened, such as `signIn`.
  public let kind: String
  /// Who did it: `account 7`, `administrator NAME`, `server` or `stranger`.
  public let actor: String
  /// The number of the account it is about; nil for none.
  public let account: Int64?
  /// The account's e-mail at that time, or the name of what it is about.
  public let subject: String
  /// The client's network address; empty for what came over none.
  public let address: String
  public let edition: String
  /// Which of several servers wrote it.
  public let node: String
  /// More, by name; never a secret.
  public let detail: AuditTexts

  /// The kinds that this version writes.
  public static let kinds = AuditKind.allCases.map(\.rawValue)

  init(_ record: AuditRecord) {
    number = record.number
    at = WireDate.string(record.time)
    kind = record.kind
    actor = record.actor
    account = record.account
    subject = record.subject
    address = record.origin.address
    edition = record.origin.edition
    node = record.node
    detail = AuditTexts(texts: record.detail)
  }
}

/// Texts by name, in the order of the names.
public struct AuditTexts: Encodable, Sendable {
  public let texts: [String: String]

  private struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Name.self)
    for (name, text) in texts.sorted(by: { $0.key < $1.key }) {
      try container.encode(text, forKey: Name(stringValue: name))
    }
  }
}

/// Which rows of the audit log are asked for.
public struct AuditQuestion: Sendable {
  /// Milliseconds since 1970; nil for any.
  public var since: Int64?
  /// The first moment that is too late; nil for any.
  public var until: Int64?
  /// Of ``AuditSummary/kinds``; empty for all.
  public var kinds: [String] = []
  /// What an account did, and what was done to it or tried with its address; nil for all.
  public var email: String?
  /// At most so many, the newest.
  public var limit = 100

  public init() {}
}

extension Administration {
  /// Rows of the audit log, the newest last.
  public func audit(_ question: AuditQuestion) async throws -> [AuditSummary] {
    var filter = AuditFilter()
    filter.since = question.since ?? .min
    filter.until = question.until ?? .max
    filter.kinds = question.kinds.compactMap(AuditKind.init(rawValue:))
    filter.email = question.email
    return try await madang.audit(filter, limit: question.limit).map(AuditSummary.init)
  }
}
