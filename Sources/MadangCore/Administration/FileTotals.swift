import Storage

/// The stored files of an installation.
package struct FileTotals: Sendable {
  /// An account or a workspace with files.
  package struct Owner: Sendable {
    package let number: Int64
    /// The workspace's name, or the account's nickname.
    package let name: String
    /// Nil for a workspace.
    package let email: String?
    package let bytes: Int
    /// Its quota in bytes; 0 for none.
    package let limit: Int
  }

  package let files: Int
  package let bytes: Int
  /// The ten workspaces with most bytes of files in their chats.
  package let workspaces: [Owner]
  /// The ten accounts that sent most bytes of files.
  package let accounts: [Owner]
}

extension Madang {
  private static let largest = 10

  /// Adds up all rows of files, in pages, so that no transaction is long. Memory use grows with the number of accounts that have sent
  /// files.
  package func fileTotals(page: Int = 5000) async throws -> FileTotals {
    var (files, bytes, last) = (0, 0, Int64(0))
    var sums: [FileUsageOwner: Int] = [:]
    while true {
      let sizes = try await database.read { [last] in try $0.fileSizes(after: last, limit: page) }
      for size in sizes {
        (files, bytes, last) = (files + size.files, bytes + size.bytes, max(last, size.last))
        sums[.account(size.uploader), default: 0] += size.bytes
        if let workspace = size.workspace { sums[.workspace(workspace), default: 0] += size.bytes }
      }
      guard sizes.reduce(0, { $0 + $1.files }) == page else { break }
    }
    func largest(_ scope: String) -> [(number: Int64, bytes: Int)] {
      let all = sums.filter { $0.key.scope == scope && $0.value > 0 }
      return all.sorted { ($1.value, $0.key.number) < ($0.value, $1.key.number) }.prefix(Self.largest)
        .map { ($0.key.number, $0.value) }
    }
    let (workspaces, accounts, limits) = (largest("workspace"), largest("account"), settings)
    return try await database.read { [files, bytes] transaction in
      FileTotals(
        files: files, bytes: bytes,
        workspaces: try transaction.workspaces(workspaces, limit: limits.quotas.files),
        accounts: try transaction.accounts(accounts, limit: limits.files.perAccount))
    }
  }

  /// The size of the database in bytes, as PostgreSQL counts it.
  package func databaseSize() async throws -> Int {
    try await database.read {
      try $0.one("SELECT pg_database_size(current_database()) AS bytes") { try $0.get("bytes") }
    }
  }

  /// Files without a database row, which are kept for a while. Counts up to 100,000 files. Zero for files in a bucket.
  package func trash() async throws -> (files: Int, bytes: Int) { try await files.home.trashSize(upTo: 100_000) }
}

extension Transaction {
  /// Sums of a page of files, by account and workspace. Files that belong to no chat have no workspace.
  fileprivate func fileSizes(after number: Int64, limit: Int) throws -> [(
    uploader: Int64, workspace: Int64?, files: Int, bytes: Int, last: Int64
  )] {
    try all(
      """
      SELECT f.uploader_id, r.workspace_id, COUNT(*) AS files, CAST(SUM(f.size) AS BIGINT) AS bytes, MAX(f.id) AS last
      FROM (SELECT id, uploader_id, room_id, size FROM files WHERE id > \(number) ORDER BY id LIMIT \(limit)) f
      LEFT JOIN rooms r ON r.id = f.room_id GROUP BY f.uploader_id, r.workspace_id
      """
    ) {
      (
        try $0.get("uploader_id"), try $0.get("workspace_id"), try $0.get("files"), try $0.get("bytes"),
        try $0.get("last")
      )
    }
  }

  fileprivate func workspaces(_ sums: [(number: Int64, bytes: Int)], limit: Int) throws -> [FileTotals.Owner] {
    let rows = try all("SELECT id, name, file_limit FROM workspaces WHERE id IN (\(list: sums.map(\.number)))") { row in
      (
        number: try row.get("id", as: Int64.self), name: try row.get("name", as: String.self),
        limit: try row.get("file_limit", as: Int?.self)
      )
    }
    return sums.compactMap { sum in
      rows.first { $0.number == sum.number }.map {
        FileTotals.Owner(number: sum.number, name: $0.name, email: nil, bytes: sum.bytes, limit: $0.limit ?? limit)
      }
    }
  }

  fileprivate func accounts(_ sums: [(number: Int64, bytes: Int)], limit: Int) throws -> [FileTotals.Owner] {
    let people = try all(
      "SELECT \(sql: Person.columns) FROM users u WHERE u.id IN (\(list: sums.map(\.number)))", Person.init)
    return sums.compactMap { sum in
      people.first { $0.id.number == sum.number }.map {
        FileTotals.Owner(number: sum.number, name: $0.nickname, email: $0.email, bytes: sum.bytes, limit: limit)
      }
    }
  }
}
