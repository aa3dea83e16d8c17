import Foundation
import MadangServer
import SocketIOProtocol

/// A ``JournalFilter`` that can be compared with entries.
struct JournalPattern: Sendable {
  let filter: JournalFilter
  /// The kinds of entries that can match.
  let kinds: Set<JournalEntry.Kind>
  private let texts: [(field: JournalFilter.Field, pattern: TextPattern)]
  private let operations: Set<String>?

  /// - Throws: `BadCall` with the field and its valid values.
  init(_ filter: JournalFilter) throws(BadCall) {
    self.filter = filter
    try filter.check()
    kinds = filter.kinds
    var operations: Set<String>?
    if let name = filter.operation, !name.contains("*") {
      operations = Set(OperationName.named(name).compactMap(\.id))
    }
    self.operations = operations
    let isNamed = operations != nil
    texts = JournalFilter.Field.allCases.compactMap { field in
      guard let text = filter[field], !(field == .operation && isNamed) else { return nil }
      let pattern = field == .method ? text.uppercased() : field == .account ? text.lowercased() : text
      return (field, TextPattern(pattern))
    }
  }

  func matches(_ entry: JournalEntry) -> Bool {
    var entry = ReadEntry(entry)
    return matches(&entry)
  }

  func matches(_ entry: inout ReadEntry) -> Bool {
    guard kinds.contains(entry.entry.kind), isOfOperation(entry.entry) else { return false }
    guard texts.allSatisfy({ matches(entry.entry, $0.field, $0.pattern) }) else { return false }
    if let body = filter.body, !(entry.content?.contains(body) ?? false) { return false }
    if let answer = filter.answer, !(entry.answer?.contains(answer) ?? false) { return false }
    return true
  }

  /// The given fields, without `body` and `answer`, and whether each of them matches.
  func comparison(with entry: JournalEntry) -> [(field: JournalFilter.Field, isEqual: Bool)] {
    (operations == nil ? [] : [(.operation, isOfOperation(entry))])
      + texts.map { ($0.field, matches(entry, $0.field, $0.pattern)) }
  }

  private func isOfOperation(_ entry: JournalEntry) -> Bool {
    guard let operations else { return true }
    return entry.operation.map(operations.contains) ?? false
  }

  private func matches(_ entry: JournalEntry, _ field: JournalFilter.Field, _ pattern: TextPattern) -> Bool {
    guard let text = entry[field] else { return false }
    if pattern.matches(text) { return true }
    // A Socket.IO packet also counts as an Engine.IO message, as in fault rules.
    guard field == .packet, PacketName(rawValue: text)?.isOfSocketIO ?? false else { return false }
    return pattern.matches(PacketName.message.rawValue)
  }
}

/// An entry that is compared with several patterns. Its JSON is read when it is needed, once.
struct ReadEntry {
  let entry: JournalEntry
  lazy var content: JSONValue? = entry.content
  lazy var answer: JSONValue? = entry.answer?.content

  init(_ entry: JournalEntry) { self.entry = entry }
}

extension JournalEntry {
  /// The properties that a filter compares.
  subscript(_ field: JournalFilter.Field) -> String? {
    switch field {
    case .kind: kind.rawValue
    case .edition: edition
    case .operation: operation
    case .method: method
    case .path: path
    case .status: status.map(String.init)
    case .code: code
    case .account: account?.lowercased()
    case .session: session
    case .transport: transport
    case .direction: direction
    case .packet: packet
    case .namespace: namespace
    case .event: event
    case .fault: fault?.kind
    case .body, .answer: nil
    }
  }

  /// The content as JSON: the body of a request, the payload of a push, the first argument of an event, or the payload of
  /// another packet.
  fileprivate var content: JSONValue? {
    if kind == .request { return request?.content }
    guard let value = payload.flatMap({ JSONValue(Array($0.utf8)) }) else { return nil }
    if kind == .packet, event != nil, case .list(let list) = value { return list.dropFirst().first }
    return value
  }
}

extension JournalEntry.Message {
  /// The body as JSON; a form or multipart body becomes an object of texts.
  fileprivate var content: JSONValue? {
    if let parts {
      let texts = parts.compactMap { part in part.text.map { (part.name, JSONValue.text($0)) } }
      return .object(Dictionary(texts) { first, _ in first })
    }
    guard let body else { return nil }
    if let value = JSONValue(Array(body.utf8)) { return value }
    guard let items = URLComponents(string: "?" + body.replacing("+", with: "%20"))?.queryItems else { return nil }
    let fields = items.filter(\.name.isCheapToCompare).map {
      (Fields.name(ofForm: $0.name), JSONValue.text($0.value ?? ""))
    }
    return .object(Dictionary(fields) { first, _ in first })
  }
}
