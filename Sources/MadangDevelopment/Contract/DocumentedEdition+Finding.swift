import MadangAPI

extension DocumentedEdition {
  /// The edition of this name; nil if its document cannot be read.
  static func of(_ name: EditionName) -> DocumentedEdition? { all.first { $0.name == name } }

  /// An operation, and the segments of its path that are parameters, by name.
  struct Match: Sendable {
    let operation: Operation
    let parameters: [String: String]
    /// How many segments are not parameters.
    fileprivate let literals: Int
  }

  /// The operation of a method and of the segments of a path, which begin with the version; nil if there is none.
  func operation(_ method: String, _ segments: [String]) -> Match? {
    operations.lazy.filter { $0.method == method }.compactMap { $0.match(segments) }.max { $0.literals < $1.literals }
  }
}

extension DocumentedEdition.Operation {
  fileprivate func match(_ segments: [String]) -> DocumentedEdition.Match? {
    let own = template.split(separator: "/")
    guard own.count == segments.count else { return nil }
    var parameters: [String: String] = [:]
    for (part, segment) in zip(own, segments) {
      if part.first == "{" {
        parameters[String(part.dropFirst().dropLast())] = segment
      } else if !part.utf8.elementsEqual(segment.utf8) {
        return nil
      }
    }
    return .init(operation: self, parameters: parameters, literals: own.count - parameters.count)
  }
}
