import Storage

extension Transaction {
  /// The files, as `f`, of an owner.
  private func files(of owner: SQL, in scope: String) -> SQL {
    switch scope {
    case "account": "FROM files f WHERE f.uploader_id = \(sql: owner)"
    default: "FROM rooms r JOIN files f ON f.room_id = r.id WHERE r.workspace_id = \(sql: owner)"
    }
  }

  private static let sum: SQL = "CAST(COALESCE(SUM(f.size), 0) AS BIGINT)"

  /// Reads all rows of the owner's files.
  func sumOfFileBytes(of owner: FileUsageOwner) throws -> Int {
    try addedUp(owner).bytes
  }

  private func addedUp(_ owner: FileUsageOwner) throws -> (files: Int, bytes: Int) {
    try one(
      "SELECT COUNT(*) AS files, \(sql: Self.sum) AS bytes \(sql: files(of: "\(owner.number)", in: owner.scope))"
    ) { (try $0.get("files"), try $0.get("bytes")) }
  }

  /// Nil if they are not added up yet.
  func countedFileBytes(of owner: FileUsageOwner) throws -> Int? {
    try first("SELECT bytes FROM file_usage WHERE scope = \(owner.scope) AND owner_id = \(owner.number)") {
      try $0.get("bytes")
    }
  }

  /// Adds bytes to the sum and returns it. The rows of the added files must exist already. Other transactions that change this sum wait
  /// until COMMIT.
  /// - Parameter later: Bytes that this transaction has stored, or deleted, and will count afterwards.
  func addFileBytes(_ bytes: Int, of owner: FileUsageOwner, uncounted later: Int) throws -> Int {
    if let counted = try changeFileBytes(by: bytes, of: owner) { return counted }
    let total = try sumOfFileBytes(of: owner) - later
    try execute(
      "UPDATE file_usage SET bytes = \(total) WHERE scope = \(owner.scope) AND owner_id = \(owner.number)")
    return total
  }

  /// Subtracts deleted bytes from the sum, if it exists. Waits for transactions that are adding up the files, because they may still see
  /// the deleted ones.
  private func takeFileBytes(_ bytes: Int, of owner: FileUsageOwner) throws {
    if try changeFileBytes(by: -bytes, of: owner) == nil { try forgetFileBytes(of: owner) }
  }

  /// Adds to a sum and returns it; nil if it did not exist or cannot be right. Afterwards a row exists in any case, and other transactions
  /// wait for it until COMMIT: an UPDATE alone would not see a row that another transaction has inserted.
  private func changeFileBytes(by bytes: Int, of owner: FileUsageOwner) throws -> Int? {
    let counted: Int = try one(
      """
      INSERT INTO file_usage (scope, owner_id, bytes) VALUES (\(owner.scope), \(owner.number), -1)
      ON CONFLICT (scope, owner_id) DO UPDATE SET bytes = file_usage.bytes + \(bytes) RETURNING bytes
      """
    ) { try $0.get("bytes") }
    return counted < 0 ? nil : counted
  }

  /// Discards a sum; it is added up again when it is needed.
  /// - Parameter bytes: Discard it only if this is its value; nil for any value.
  func forgetFileBytes(of owner: FileUsageOwner, if bytes: Int? = nil) throws {
    let condition: SQL = bytes.map { "AND bytes = \($0)" } ?? ""
    try execute(
      "DELETE FROM file_usage WHERE scope = \(owner.scope) AND owner_id = \(owner.number) \(sql: condition)")
  }

  /// Deletes files and subtracts them from the sums.
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
      beforeCommit(changing: owner.sum, adding: -bytes) { transaction, _ in
        try transaction.takeFileBytes(bytes, of: owner)
      }
    }
  }

  /// Checks a page of sums against the files. Returns the wrong sums, and the sum after which the next page starts, or nil if this was the
  /// last.
  /// - Parameters:
  ///   - limit: Largest number of sums to check.
  ///   - files: After this many files were added up, the next sum is left to the next call.
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
      // A sum of zero needs no row.
      if bytes == 0 || sum.bytes != bytes { wrong.append((owner, bytes)) }
      addedUp += sum.files
      if addedUp >= files { return (wrong, owner) }
    }
    return (wrong, counted.count == limit ? counted.last?.owner : nil)
  }
}
