import Storage

/// Both ids of an object: the integer joins tables and is what edition 2024-01 sends, the UUID is edition 2024-10's.
package struct ObjectID: Hashable, Sendable {
  package let number: Int64
  package let uuid: String

  package init(number: Int64, uuid: String) {
    self.number = number
    self.uuid = uuid
  }
}

/// How a request names an object. A value of the wrong form simply matches nothing.
package enum Reference: Hashable, Sendable {
  case uuid(String)
  case number(Int64)

  /// `alias.uuid = $n` or `alias.id = $n`.
  package func matches(_ alias: StaticString) -> SQL {
    switch self {
    case .uuid(let uuid) where uuid.utf8.contains(0): "1 = 0"
    case .uuid(let uuid): "\(raw: "\(alias)").uuid = \(uuid)"
    case .number(let number): "\(raw: "\(alias)").id = \(number)"
    }
  }
}

extension Row {
  /// The object whose ids stand in `<prefix>id` and `<prefix>uuid`.
  func objectID(_ prefix: String = "") throws -> ObjectID {
    ObjectID(number: try get("\(prefix)id"), uuid: try get("\(prefix)uuid"))
  }
}
