import MadangAPI
import MadangCore

/// A row of the audit log for administrators and other programs, with its date in wire format.
public struct AuditSummary: Encodable, Sendable {
  public let number: Int64
  public let at: String
  /// The kind of action, such as `signIn`.
  public let kind: String
  /// The actor: `account 7`, `administrator NAME`, `server` or `stranger`.
  public let actor: String
  /// The number of the account it is about; nil for none.
  public let account: Int64?
  /// The account's e-mail at that time, or the name of another subject.
  public let subject: String
  /// The client's network address; empty for local actions.
  public let address: String
  public let edition: String
  /// The name of the server that wrote it.
  public let node: String
  /// Details by name; never a secret.
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
