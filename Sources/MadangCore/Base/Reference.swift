import Storage

/// Both ids of an object: the number joins tables and is the id in edition 2024-01; the UUID is the id in edition 2024-10.
package struct ObjectID: Hashable, Codable, Sendable {
  package let number: Int64
  package let uuid: String

  package init(number: Int64, uuid: String) {
    self.number = number
    self.uuid = uuid
  }
}

/// The way a request names an object. A value of the wrong form matches no object.
package indirect enum Reference: Hashable, Sendable {
  case uuid(String)
  case number(Int64)
  /// The room of the first of these names that a channel in the workspace has; made by ``channel(named:in:)``.
  case channelName([String], in: Reference)

  /// A channel of a workspace by its name as people type it. Several candidates are tried in order.
  package static func channel(named names: [String], in workspace: Reference) -> Reference {
    .channelName(names.map(TextRules.comparableName).filter { !$0.hasNUL }, in: workspace)
  }
}

// These append to the statement that they are part of, instead of building another: every call has such conditions.
extension SQL.StringInterpolation {
  /// The condition that `alias`, a row of `rooms` or `workspaces`, is this object and is not deleted.
  mutating func appendInterpolation(_ alias: StaticString, isLiving reference: Reference) {
    appendInterpolation(alias, is: reference)
    appendLiteral(" AND ")
    appendInterpolation(raw: alias)
    appendLiteral(".deleted_at IS NULL")
  }

  /// The condition that `alias` is this object. It is part of the statement that acts on the object, so the name is resolved in the same
  /// statement that applies the rules.
  mutating func appendInterpolation(_ alias: StaticString, is reference: Reference) {
    switch reference {
    case .uuid(let uuid) where uuid.hasNUL: appendLiteral("1 = 0")
    case .uuid(let uuid):
      appendInterpolation(raw: alias)
      appendLiteral(".uuid = ")
      appendInterpolation(uuid)
    case .number(let number):
      appendInterpolation(raw: alias)
      appendLiteral(".id = ")
      appendInterpolation(number)
    case .channelName(let names, let workspace):
      appendInterpolation(
        sql: """
          \(raw: alias).id = (SELECT named.room_id FROM channels named JOIN workspaces whose ON whose.id = named.workspace_id
            WHERE \("whose", is: workspace) AND named.name IN (\(list: names))
            ORDER BY CASE WHEN named.name = \(names.first) THEN 0 ELSE 1 END LIMIT 1)
          """)
    }
  }
}

extension Row {
  /// The object whose ids are in two columns. Both names are spelled out, because joining a prefix would allocate for each row.
  func objectID(number: String, uuid: String) throws -> ObjectID {
    ObjectID(number: try get(number), uuid: try get(uuid))
  }
}
