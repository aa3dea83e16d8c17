import Storage

extension Transaction {
  func fileCount() throws -> Int { try one("SELECT COUNT(*) AS number FROM files") { try $0.get("number") } }

  /// Pictures of accounts, workspaces and channels that have no row in `files`.
  func pictureFindings() throws -> [Finding] {
    try FileStore.pictureColumns.flatMap { table, column in
      try all(
        """
        SELECT \(raw: column) AS picture FROM \(raw: table) t WHERE \(raw: column) IS NOT NULL
          AND NOT EXISTS (SELECT 1 FROM files f WHERE f.path = t.\(raw: column)) LIMIT \(findingLimit)
        """
      ) { row in
        Finding(
          kind: .file, subject: try row.get("picture"),
          problem: "\(table).\(column) names it, but the table files does not",
          cure: "set another picture")
      }
    }
  }

  /// Paths that lead out of the folders of files. No call opens them.
  func pathFindings() throws -> [Finding] {
    try FileStore.pathColumns.flatMap { table, column in
      var found: [Finding] = []
      try forEach("SELECT \(raw: column) AS path FROM \(raw: table) WHERE \(raw: column) IS NOT NULL") { row in
        let path: String = try row.get("path")
        guard found.count < findingLimit, !FileStore.isPath(path) else { return }
        found.append(
          Finding(
            kind: .file, subject: path, problem: "\(table).\(column) names it, but it is not the path of a stored file",
            cure: "find out which program wrote the row, as madang writes no such path; then remove it"))
      }
      return found
    }
  }

  func fileEntries(after id: Int64, limit: Int) throws -> [(id: Int64, file: FileEntry)] {
    try all("SELECT id, path, size, sha256 FROM files WHERE id > \(id) ORDER BY id LIMIT \(limit)") { row in
      (
        try row.get("id"),
        FileEntry(path: try row.get("path"), size: try row.get("size"), sha256: try row.get("sha256"))
      )
    }
  }
}
