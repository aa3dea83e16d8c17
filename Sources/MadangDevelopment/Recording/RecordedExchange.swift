import MadangAPI
import MadangServer

/// A call of a client, as a journal or an archive shows it.
struct RecordedExchange: Sendable {
  /// Its name in errors and comments: `entry 12`.
  let label: String
  /// The caller's e-mail; nil if it is unknown, or if the call needs no account.
  var person: String?
  let edition: EditionName
  let match: DocumentedEdition.Match
  /// The segments of the path, from its version on.
  let segments: [String]
  let body: RecordedBody
  /// Nil if the client got no answer.
  let status: Int?
  let answer: JSONValue?
  /// Its start, in real milliseconds.
  let time: Double
  /// Its start by the server's clock, in milliseconds; nil if it is unknown.
  var moment: Int64?
  /// Whether a fault replaced the operation.
  var isReplaced = false
  /// Whether it only shows names: it came before the recording.
  var isEarlier = false

  var operation: String { match.operation.id }
  var hasSucceeded: Bool { status.map { $0 < 400 } ?? true }
  /// The id of the workspace in the path.
  var workspace: String? { match.parameters["workspace"] }

  /// Whether it gave its client a session.
  var signsIn: Bool {
    ["signUp", "signIn", "signInNested", "signInWithKakao", "signInWithApple"].contains(operation)
  }

  /// Whether it created an account. Signing in with Kakao or Apple may.
  func signsUp(since: Int64, _ offset: (EditionName) -> Int64) -> Bool {
    switch operation {
    case "signUp": true
    case "signInWithKakao", "signInWithApple":
      (answer?.text("createdAt")).flatMap { TimeText.date($0) }.map { $0 - offset(edition) >= since } ?? false
    default: false
    }
  }

  /// Of a sign-in or a call about the own account: its e-mail.
  var ownEmail: String? { answer?.text("email") ?? body["email"] }
}

/// The body of a recorded call.
struct RecordedBody: Sendable {
  private(set) var fields: [(name: String, text: String?)] = []
  /// The names of the fields that were files.
  private(set) var files: [String] = []
  /// Whether all of its text is known.
  private(set) var isWhole = true

  init() {}

  /// JSON or a form.
  init(_ text: String, isWhole: Bool = true) {
    self.isWhole = isWhole
    guard isWhole else { return }
    let start = text.utf8.first { !" \t\r\n".utf8.contains($0) }
    if start == UInt8(ascii: "{") {
      guard case .object(let fields)? = JSONValue(text: text) else {
        self.isWhole = false
        return
      }
      self.fields = fields.sorted { $0.key < $1.key }.map { ($0.key, $0.value.asText) }
    } else if start != nil {
      for pair in text.utf8.split(separator: UInt8(ascii: "&")) {
        let sign = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
        let name = percentDecoded(pair[..<sign], plusIsBlank: true)
        fields.append((name, percentDecoded(pair[sign...].dropFirst(), plusIsBlank: true)))
      }
    }
  }

  /// Adds a field or, without text, a file.
  mutating func add(_ name: String, text: String?, isFile: Bool, isWhole: Bool = true) {
    if isFile { files.append(name) } else { fields.append((name, text)) }
    self.isWhole = self.isWhole && isWhole
  }

  subscript(name: String) -> String? { fields.first { $0.name == name }?.text }
}

extension JSONValue {
  /// A text, number or flag as text; nil for null, and for lists and objects.
  var asText: String? {
    switch self {
    case .text(let text): text
    case .number(let number): Int64(exactly: number).map(String.init) ?? "\(number)"
    case .flag(let flag): "\(flag)"
    case .null, .list, .object: nil
    }
  }

  /// A field of an object.
  subscript(name: String) -> JSONValue? {
    if case .object(let fields) = self { fields[name] } else { nil }
  }

  func text(_ name: String) -> String? { self[name]?.asText }
}
