import MadangAPI
import MadangServer

/// What filters of the journal and rules for faults may ask of requests and packets. Both are refused where they could never match.
enum PatternChecks {
  private static let methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]

  /// - Throws: `BadCall`, naming the field and what it may be.
  static func check(
    method: String?, path: String?, namespace: String?, event: String?, isToClient: Bool
  ) throws(BadCall) {
    if let method { try check("method", method, pattern: method.uppercased(), among: methods) }
    if let path, !path.hasPrefix("/") && !path.hasPrefix("*") || path.contains("?") {
      throw BadCall("path: a path like /v1/workspaces, without its query; * stands for any text")
    }
    if let path, path == "/_dev" || path.hasPrefix("/_dev/") {
      throw BadCall("path: development calls are not in the journal and not matched by rules")
    }
    if let namespace, !namespace.hasPrefix("/"), !namespace.hasPrefix("*") {
      throw BadCall("namespace: a namespace like /ws-channel-ID; * stands for any text")
    }
    if let event, isToClient { try check("event", event, among: ChatEvent.allCases.map(\.rawValue)) }
  }

  /// - Throws: `BadCall` if a text matches none of the known ones.
  /// - Parameter pattern: The text in the form of the known ones; nil if that is how it was written.
  static func check(_ field: String, _ text: String, pattern: String? = nil, among known: [String]) throws(BadCall) {
    guard !known.contains(where: TextPattern(pattern ?? text).matches) else { return }
    throw BadCall("\(field): '\(text)' does not exist; there are \(known.joined(separator: ", "))")
  }
}
