import MadangServer

/// Selects entries that match all given fields. In texts, `*` matches any text.
package struct JournalFilter: CallFields, Codable, Equatable, Sendable {
  package enum Field: String, CodingKey, CaseIterable, Sendable {
    case kind, edition, operation, method, path, status, code, account
    case session, transport, direction, packet, namespace, event, fault
    case body, answer
  }

  package typealias CodingKeys = Field

  package static let names = Field.allCases.map(\.rawValue)
  package static let whole = "a filter"

  /// A ``JournalEntry/Kind``.
  package var kind: String?
  package var edition: String?
  /// An `operationId`, which may have a `*`, or method and path of a document, as in rules for faults.
  package var operation: String?
  package var method: String?
  package var path: String?
  /// A status, such as `200`, or `4*`.
  package var status: String?
  package var code: String?
  /// An e-mail.
  package var account: String?
  package var session: String?
  package var transport: String?
  package var direction: String?
  package var packet: String?
  package var namespace: String?
  package var event: String?
  /// The `kind` of the effect of an applied fault; `*` for any.
  package var fault: String?
  /// JSON that the body of a request, the payload of a push, or the first argument of an event must contain.
  package var body: JSONValue?
  /// JSON that the body of an answer must contain.
  package var answer: JSONValue?

  package init() {}

  /// With some fields set: `JournalFilter { $0.operation = "postToChannel" }`.
  package init(_ set: (inout JournalFilter) -> Void) { set(&self) }

  package init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Field.self)
    for field in Field.allCases where fields.contains(field) {
      switch field {
      case .body: body = try fields.decode(JSONValue.self, forKey: field)
      case .answer: answer = try fields.decode(JSONValue.self, forKey: field)
      default:
        // A status may be written as a number.
        let number = field == .status ? try? fields.decode(Int.self, forKey: field) : nil
        self[field] = try number.map(String.init) ?? fields.decode(String.self, forKey: field)
      }
    }
  }

  /// A field that is text.
  subscript(_ field: Field) -> String? {
    get { Self.place(of: field).flatMap { self[keyPath: $0] } }
    set {
      guard let place = Self.place(of: field) else { return }
      self[keyPath: place] = newValue
    }
  }

  private static func place(of field: Field) -> WritableKeyPath<JournalFilter, String?>? {
    switch field {
    case .kind: \.kind
    case .edition: \.edition
    case .operation: \.operation
    case .method: \.method
    case .path: \.path
    case .status: \.status
    case .code: \.code
    case .account: \.account
    case .session: \.session
    case .transport: \.transport
    case .direction: \.direction
    case .packet: \.packet
    case .namespace: \.namespace
    case .event: \.event
    case .fault: \.fault
    case .body, .answer: nil
    }
  }

  /// For people: `operation postToChannel, status 200`.
  package var words: String {
    var parts = Field.allCases.compactMap { field in self[field].map { "\(field.rawValue) \($0)" } }
    if let body { parts.append("body \(body.words)") }
    if let answer { parts.append("answer \(answer.words)") }
    return parts.isEmpty ? "anything" : parts.joined(separator: ", ")
  }
}
