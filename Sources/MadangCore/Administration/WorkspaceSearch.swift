import Storage

/// A member of a workspace as an administrator sees it.
package struct MemberRecord: Sendable {
  package let person: Person
  package let isOwner: Bool
  package let joinedAt: Int64
}

extension Madang {
  /// One page of workspaces whose name or owner's e-mail address contains a text, ignoring case; ordered by number. With a text, workspaces
  /// are examined one by one (see ``SearchPage``). Of deleted workspaces, only the ones on legal hold are listed. Throws `.invalid`.
  package func workspaces(matching text: String, after last: Int64?, limit: Int) async throws
    -> SearchPage<WorkspaceRecord>
  {
    let text = try SearchedText(text)
    guard !text.isEmpty else {
      return try await database.read { transaction in
        SearchPage(
          try transaction.workspaceRecords(after: last ?? 0, limit: limit + 1), limit: limit,
          total: last == nil ? try transaction.count(of: "workspaces w WHERE \(sql: Transaction.isListed)") : nil,
          number: \.workspace.id.number)
      }
    }
    let page = try await search(
      after: last, limit: limit, number: { $0.number },
      read: { try $0.searchedWorkspaces(after: $1 ?? 0, limit: $2) },
      where: { text.isPart(of: $0.name) || text.isPart(of: $0.owner) })
    let found = try await database.read { try $0.workspaceRecords(numbers: page.elements.map(\.number)) }
    return SearchPage(elements: found, next: page.next, total: page.total)
  }

  /// One page of a workspace's members, ordered by the numbers of their accounts. Throws `.notFound`.
  package func members(of name: WorkspaceName, after user: Int64?, limit: Int) async throws -> SearchPage<MemberRecord>
  {
    try await database.read { transaction in
      let workspace = try transaction.workspace(name, orDeleted: true)
      return SearchPage(
        try transaction.memberRecords(of: workspace, after: user ?? 0, limit: limit + 1), limit: limit,
        number: \.person.id.number)
    }
  }
}

extension Transaction {
  fileprivate func searchedWorkspaces(after number: Int64, limit: Int) throws -> [(
    number: Int64, name: String, owner: String
  )] {
    try all(
      """
      SELECT w.id, w.name, (SELECT o.email FROM users o WHERE o.id = w.owner_id) AS owner FROM workspaces w
      WHERE w.id > \(number) AND \(sql: Self.isListed) ORDER BY w.id LIMIT \(limit)
      """
    ) { (try $0.get("id"), try $0.get("name"), try $0.get("owner")) }
  }

  fileprivate func memberRecords(of workspace: Workspace, after user: Int64, limit: Int) throws -> [MemberRecord] {
    try all(
      """
      SELECT \(sql: Person.columns), m.joined_at FROM workspace_members m JOIN users u ON u.id = m.user_id
      WHERE m.workspace_id = \(workspace.id.number) AND m.user_id > \(user) ORDER BY m.user_id LIMIT \(limit)
      """
    ) { row in
      let person = try Person(row)
      return MemberRecord(person: person, isOwner: person.id == workspace.owner, joinedAt: try row.get("joined_at"))
    }
  }
}
