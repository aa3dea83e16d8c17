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
    if let operations, !(entry.operation.map(operations.contains) ?? false) { return false }
    for (field, pattern) in texts {
      guard let text = entry[field] else { return false }
      if pattern.matches(text) { continue }
      // A Socket.IO packet also counts as an Engine.IO message, as in fault rules.
      guard field == .packet, PacketName(rawValue: text)?.isOfSocketIO ?? false else { return false }
      guard pattern.matches(PacketName.message.rawValue) else { return false }
    }
    if let body = filter.body, !(entry.content?.contains(body) ?? false) { return false }
    if let answer = filter.answer, !(entry.answer?.content?.contains(answer) ?? false) { return false }
    return true
  }
}

extension JournalEntry {
  /// The properties that a filter compares.
  fileprivate subscript(_ field: JournalFilter.Field) -> String? {
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
