import Storage

extension Transaction {
  /// Files, as `f`, of whom a row of `file_usage` or a number is about.
  private func files(of owner: SQL, in scope: String) -> SQL {
    switch scope {
    case "account": "FROM files f WHERE f.uploader_id = \(sql: owner)"
    default: "FROM rooms r JOIN files f ON f.room_id = r.id WHERE r.workspace_id = \(sql: owner)"
    }
  }

  private static let sum: SQL = "CAST(COALESCE(SUM(f.size), 0) AS BIGINT)"

  /// Reads all rows of its files.
  func sumOfFileBytes(of owner: FileUsageOwner) throws -> Int {
    try addedUp(owner).bytes
  }

  private func addedUp(_ owner: FileUsageOwner) throws -> (files: Int, bytes: Int) {
    try one(
      "SELECT COUNT(*) AS files, \(sql: Self.sum) AS bytes \(sql: files(of: "\(owner.number)", in: owner.scope))"
    ) { (try $0.get("files"), try $0.get("bytes")) }
  }

  /// Nil if they are not counted yet.
  func countedFileBytes(of owner: FileUsageOwner) throws -> Int? {
    try first("SELECT bytes FROM file_usage WHERE scope = \(owner.scope) AND owner_id = \(owner.number)") {
      try $0.get("bytes")
    }
  }

  /// How many it has with those that are added, whose rows are there already. Whoever else counts them waits until COMMIT.
  /// - Parameter later: What this transaction has stored, or deleted, and counts afterwards.
  func addFileBytes(_ bytes: Int, of owner: FileUsageOwner, uncounted later: Int) throws -> Int {
    if let counted = try changeFileBytes(by: bytes, of: owner) { return counted }
    let total = try sumOfFileBytes(of: owner) - later
    try execute(
      "UPDATE file_usage SET bytes = \(total) WHERE scope = \(owner.scope) AND owner_id = \(owner.number)")
    return total
  }

  /// Takes what was deleted off the sum, if there is one. Whoever adds it up meanwhile may see what is deleted, and is waited for.
  private func takeFileBytes(_ bytes: Int, of owner: FileUsageOwner) throws {
    if try changeFileBytes(by: -bytes, of: owner) == nil { try forgetFileBytes(of: owner) }
  }

  /// Changes a sum. Nil if there was no row, or it cannot be true. In any case there is one afterwards, and whoever else counts waits for it
  /// until COMMIT: an UPDATE alone would not see what another transaction has inserted.
  private func changeFileBytes(by bytes: Int, of owner: FileUsageOwner) throws -> Int? {
    let counted: Int = try one(
      """
      INSERT INTO file_usage (scope, owner_id, bytes) VALUES (\(owner.scope), \(owner.number), -1)
      ON CONFLICT (scope, owner_id) DO UPDATE SET bytes = file_usage.bytes + \(bytes) RETURNING bytes
      """
    ) { try $0.get("bytes") }
    return counted < 0 ? nil : counted
  }

  /// They are added up when they are needed next.
  /// - Parameter bytes: Only if that is what was counted; nil in any case.
  func forgetFileBytes(of owner: FileUsageOwner, if bytes: Int? = nil) throws {
    let condition: SQL = bytes.map { "AND bytes = \($0)" } ?? ""
    try execute(
      "DELETE FROM file_usage WHERE scope = \(owner.scope) AND owner_id = \(owner.number) \(sql: condition)")
  }

  /// Deletes files, and takes them off the sums.
  func deleteCountedFiles(_ paths: [String]) throws {
    let files: [(uploader: Int64, room: Int64?, size: Int)] = try all(
      "DELETE FROM files WHERE path IN (\(list: paths)) RETURNING uploader_id, room_id, size"
    ) { (try $0.get("uploader_id"), try $0.get("room_id"), try $0.get("size")) }
    let rooms = Set(files.compactMap(\.room))
    let workspaces =
      rooms.isEmpty
      ? [:]
      : Dictionary(
        uniqueKeysWithValues: try all("SELECT id, workspace_id FROM rooms WHERE id IN (\(list: Array(rooms)))") {
          (try $0.get("id", as: Int64.self), try $0.get("workspace_id", as: Int64.self))
        })
    var gone: [FileUsageOwner: Int] = [:]
    for file in files {
      gone[.account(file.uploader), default: 0] += file.size
      if let room = file.room, let workspace = workspaces[room] { gone[.workspace(workspace), default: 0] += file.size }
    }
    for (owner, bytes) in gone {
      lastly(at: owner.place, adding: -bytes) { transaction, _ in try transaction.takeFileBytes(bytes, of: owner) }
    }
  }

  /// Sums that are not what the files come to, among some of them, and after which one the others follow; nil if these were the last.
  /// - Parameters:
  ///   - limit: How many sums are looked at, at most.
  ///   - files: Once that many files were added up, the next sum is left to the next call.
  func wrongFileUsage(after last: FileUsageOwner?, limit: Int, files: Int) throws -> (
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
    var (wrong, addedUp) = ([(owner: FileUsageOwner, bytes: Int)](), 0)
    for (owner, bytes) in counted {
      let sum = try self.addedUp(owner)
      // Those of nothing need no row.
      if bytes == 0 || sum.bytes != bytes { wrong.append((owner, bytes)) }
      addedUp += sum.files
      if addedUp >= files { return (wrong, owner) }
    }
    return (wrong, counted.count == limit ? counted.last?.owner : nil)
  }
}
