import Storage

extension Transaction {
  @discardableResult
  func insertFile(_ file: StoredFile, room: Int64?, uploader: Int64, now: Int64) throws -> Int64 {
    try one(
      """
      INSERT INTO files (path, media_type, size, sha256, room_id, uploader_id, created_at)
      VALUES (\(file.path), \(file.type.rawValue), \(file.size), \(file.sha256), \(room), \(uploader), \(now))
      RETURNING id
      """
    ) { try $0.get("id") }
  }

  /// A stored file and the room whose readers alone may see it.
  func file(path: String) throws -> (file: StoredFile, room: Int64?)? {
    try first("SELECT path, media_type, size, sha256, room_id FROM files WHERE path = \(path)") { row in
      guard let type = MediaType(rawValue: try row.get("media_type")) else { throw UnexpectedlyEmpty() }
      return (
        StoredFile(path: try row.get("path"), type: type, size: try row.get("size"), sha256: try row.get("sha256")),
        try row.get("room_id")
      )
    }
  }
}
