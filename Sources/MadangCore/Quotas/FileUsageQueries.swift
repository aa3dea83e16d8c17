import Storage

extension Transaction {
  /// Files in chats, as `f`, of whom a row of `file_usage` or a number is about.
  private func files(of owner: SQL, in scope: String) -> SQL {
    switch scope {
    case "account": "FROM files f WHERE f.uploader_id = \(sql: owner) AND f.room_id IS NOT NULL"
    default: "FROM rooms r JOIN files f ON f.room_id = r.id WHERE r.workspace_id = \(sql: owner)"
    }
  }

  private static let sum: SQL = "CAST(COALESCE(SUM(f.size), 0) AS BIGINT)"

  /// Reads all rows of its files.
  func sumOfFileBytes(of owner: FileUsageOwner) throws -> Int {
    try one("SELECT \(sql: Self.sum) AS bytes \(sql: files(of: "\(owner.number)", in: owner.scope))") {
      try $0.get("bytes")
    }
  }

  /// Nil if they are not counted yet.
  func countedFileBytes(of owner: FileUsageOwner) throws -> Int? {
    try first("SELECT bytes FROM file_usage WHERE scope = \(owner.scope) AND owner_id = \(owner.number)") {
      try $0.get("bytes")
    }
  }

  /// How many it has with those that are added. Whoever else counts them waits until COMMIT.
  func addFileBytes(_ bytes: Int, of owner: FileUsageOwner) throws -> Int {
    if let total = try changeFileBytes(by: bytes, of: owner) { return total }
    switch owner {
    case .account(let user): try hold(user: user)
    case .workspace(let workspace): try hold(workspace: workspace)
    }
    // Others may have counted them meanwhile.
    if let total = try changeFileBytes(by: bytes, of: owner) { return total }
    let total = try sumOfFileBytes(of: owner) + bytes
    try execute(
      "INSERT INTO file_usage (scope, owner_id, bytes) VALUES (\(owner.scope), \(owner.number), \(total))")
    return total
  }

  private func changeFileBytes(by bytes: Int, of owner: FileUsageOwner) throws -> Int? {
    try first(
      """
      UPDATE file_usage SET bytes = bytes + \(bytes) WHERE scope = \(owner.scope) AND owner_id = \(owner.number)
      RETURNING bytes
      """
    ) { try $0.get("bytes") }
  }

  /// They are added up when they are needed next.
  /// - Parameter bytes: Only if that is what was counted; nil in any case.
  func forgetFileBytes(of owner: FileUsageOwner, if bytes: Int? = nil) throws {
    let condition: SQL = bytes.map { "AND bytes = \($0)" } ?? ""
    try execute(
      "DELETE FROM file_usage WHERE scope = \(owner.scope) AND owner_id = \(owner.number) \(sql: condition)")
  }

  /// Takes files off the sums that are about to be deleted.
  func uncountFiles(_ paths: [String]) throws {
    guard try first("SELECT 1 AS one FROM file_usage LIMIT 1", { _ in true }) ?? false else { return }
    for (scope, owner, join) in [
      ("account", "f.uploader_id", ""), ("workspace", "r.workspace_id", "JOIN rooms r ON r.id = f.room_id"),
    ] as [(String, SQL, SQL)] {
      let gone: SQL = "FROM files f \(sql: join) WHERE f.room_id IS NOT NULL AND f.path IN (\(list: paths))"
      try execute(
        """
        UPDATE file_usage SET bytes = bytes - (SELECT \(sql: Self.sum) \(sql: gone) AND \(sql: owner) = file_usage.owner_id)
        WHERE scope = \(scope) AND owner_id IN (SELECT \(sql: owner) \(sql: gone))
        """)
    }
  }

  /// Sums that are not what the files come to, among some of them, and after which one the others follow; nil if these were the last.
  func wrongFileUsage(after last: FileUsageOwner?, limit: Int) throws -> (
    wrong: [(owner: FileUsageOwner, bytes: Int)], next: FileUsageOwner?
  ) {
    let (scope, number) = (last?.scope ?? "", last?.number ?? 0)
    let counted = try all(
      """
      SELECT scope, owner_id, bytes FROM file_usage
      WHERE scope > \(scope) OR (scope = \(scope) AND owner_id > \(number)) ORDER BY scope, owner_id LIMIT \(limit)
      """
    ) { row -> (owner: FileUsageOwner, bytes: Int) in
      let number: Int64 = try row.get("owner_id")
      let isOfAccount = try row.get("scope", as: String.self) == "account"
      return (isOfAccount ? .account(number) : .workspace(number), try row.get("bytes"))
    }
    // Those of nothing need no row.
    let wrong = try counted.filter { try $0.bytes == 0 || sumOfFileBytes(of: $0.owner) != $0.bytes }
    return (wrong, counted.count == limit ? counted.last?.owner : nil)
  }
}
