import SocketIOProtocol

/// An error of an authority (RFC 7807 and RFC 8555, section 6.7).
package struct Problem: Decodable, Sendable {
  /// A part of a problem, about one name.
  package struct Part: Decodable, Sendable {
    let type: String?
    let detail: String?
    let identifier: Identifier?
  }

  let type: String?
  let detail: String?
  let instance: String?
  let subproblems: [Part]?

  init(type: String? = nil, detail: String? = nil, instance: String? = nil, subproblems: [Part]? = nil) {
    (self.type, self.detail, self.instance, self.subproblems) = (type, detail, instance, subproblems)
  }

  /// Its type without the prefix that all have; empty if it has none.
  var kind: String { Self.kind(type) }

  private static func kind(_ type: String?) -> String {
    let prefix = "urn:ietf:params:acme:error:"
    guard let type, type.hasPrefix(prefix) else { return "" }
    return String(type.dropFirst(prefix.count))
  }

  /// The part that explains it best: the first one about a name.
  var cause: (kind: String, name: String?, words: String) {
    let part = subproblems?.first { $0.identifier != nil }
    let words = part?.detail ?? detail ?? type ?? "no reason was given"
    return (
      part.map { Self.kind($0.type) } ?? kind, part?.identifier.map { LogText($0.value).text }, LogText(words).text
    )
  }
}
