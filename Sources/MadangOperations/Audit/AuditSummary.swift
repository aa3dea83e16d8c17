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
