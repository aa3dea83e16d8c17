import MadangAPI
import MadangCore
import MadangServer

// A filter that can never match is refused: otherwise "this never happened" would always be true.
extension JournalFilter {
  /// - Throws: `BadCall` with the field and its valid values.
  func check() throws(BadCall) {
    for field in Field.allCases where self[field]?.utf8.count ?? 0 > FaultRule.Limits.text {
      throw BadCall("\(field.rawValue): \(FaultRule.Limits.text) bytes at most")
    }
    for (field, known) in Self.known {
      if let text = self[field] { try PatternChecks.check(field.rawValue, text, among: known) }
    }
    if let status { try Self.check(status: status) }
    try PatternChecks.check(
      method: method, path: path, namespace: namespace, event: event, isToClient: direction == "toClient")
    if let path, case let told = LinkPage.masked(path, by: "*"), told != path, !path.contains("*") {
      throw BadCall("path: the journal does not keep codes of links; write \(told)")
    }
    try checkOperation()
    for (field, value) in [(Field.body, body), (.answer, answer)] {
      guard let rest = value?.placeOfSecret else { continue }
      let place = BadCall.shortened(field.rawValue + rest)
      throw BadCall("\(place): the journal does not keep secrets; leave it out")
    }
    if event != nil, let packet, packet != PacketName.event.rawValue, packet != PacketName.message.rawValue {
      throw BadCall("packet: '\(packet)' has no event; leave it out, or write 'event'")
    }
    if kinds.isEmpty { throw BadCall("\(givenNames): no entry of the journal has all of these") }
    try checkEvent()
  }

  /// The kinds of entries that have all given fields.
  var kinds: Set<JournalEntry.Kind> {
    var kinds = Set(JournalEntry.Kind.allCases)
    if let kind { kinds = kinds.filter { TextPattern(kind).matches($0.rawValue) } }
    for field in given { kinds.formIntersection(field.kinds) }
    return kinds
  }

  private var given: [Field] {
    Field.allCases.filter { self[$0] != nil || $0 == .body && body != nil || $0 == .answer && answer != nil }
  }

  private var givenNames: String { given.map(\.rawValue).joined(separator: ", ") }

  private static let known: [(field: Field, values: [String])] = [
    (.kind, JournalEntry.Kind.allCases.map(\.rawValue)), (.direction, ["fromClient", "toClient"]),
    (.transport, ["polling", "websocket"]),
    (.packet, PacketName.allCases.filter { $0 != .noop }.map(\.rawValue)),
    (.edition, EditionName.allCases.map(\.rawValue)), (.fault, FaultEffect.Kind.allCases.map(\.rawValue)),
    (.code, ErrorCode.allCases.map(\.rawValue)),
  ]

  private static func check(status: String) throws(BadCall) {
    let pattern = TextPattern(status)
    guard (100...599).contains(where: { pattern.matches(String($0)) }) else {
      throw BadCall("status: a status like 200, or with * like 4*, not '\(status)'")
    }
  }

  private func checkOperation() throws(BadCall) {
    guard let operation else { return }
    let pattern = TextPattern(operation)
    let isKnown =
      operation.contains("*")
      ? Contract.shared.operations.values.contains { pattern.matches($0.id) } : !OperationName.named(operation).isEmpty
    guard !isKnown else { return }
    throw BadCall("operation: \(OperationName.unknown(operation, mayHaveStars: true))")
  }

  /// Events of connections, payments and mails are known; clients choose the names of other events.
  private func checkEvent() throws(BadCall) {
    guard let event, !kinds.contains(.packet) else { return }
    let events =
      ["opened", "upgraded", "closed", "refused", "recorded", "credited"] + MailKind.allCases.map(\.rawValue)
    try PatternChecks.check("event", event, among: events)
  }
}

extension JournalFilter.Field {
  /// The kinds of entries that have the field.
  fileprivate var kinds: Set<JournalEntry.Kind> {
    switch self {
    case .kind, .account, .fault: Set(JournalEntry.Kind.allCases)
    case .edition: [.request, .push]
    case .operation, .method, .path, .status, .answer: [.request]
    case .code: [.request, .payment]
    case .session, .transport: [.connection, .packet]
    case .direction, .packet, .namespace: [.packet]
    case .event: [.packet, .connection, .payment, .mail]
    case .body: [.request, .packet, .push]
    }
  }
}

extension JSONValue {
  /// The longest name in a path, in characters.
  private static let longestName = 64

  /// The path of the first secret field, as in `[1].user.password`; nil if there is none. It is built on the way back,
  /// because bodies may be large and deep.
  fileprivate var placeOfSecret: String? {
    switch self {
    case .object(let fields):
      for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
        guard let rest = Secrets.isSecret(name) ? "" : value.placeOfSecret else { continue }
        return ".\(name.prefix(Self.longestName))\(rest)"
      }
    case .list(let list):
      for (index, value) in list.enumerated() {
        if let rest = value.placeOfSecret { return "[\(index)]\(rest)" }
      }
    case .null, .flag, .number, .text: break
    }
    return nil
  }
}
