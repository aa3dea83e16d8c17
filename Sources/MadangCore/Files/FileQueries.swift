import Storage

extension Transaction {
  @discardableResult
  func insertFile(_ file: StoredFile, room: Int64?, uploader: Int64, now: Int64) throws -> Int64 {
    try one(
      """
      INSERT INTO files (path, name, media_type, size, sha256, room_id, uploader_id, created_at)
      VALUES (\(file.path), \(file.name?.encoded), \(file.type.rawValue), \(file.size), \(file.sha256), \(room), \(uploader), \(now))
      \(sql: .returningID)
      """
    ) { try $0.get("id") }
  }

  /// The subset of `paths` that rows name, as stored files or as retired files that wait for their removal.
  func paths(among paths: [String]) throws -> Set<String> {
    Set(
      try all(
        """
        SELECT path FROM files WHERE path IN (\(list: paths))
        UNION SELECT path FROM file_removals WHERE path IN (\(list: paths))
        """
      ) { try $0.get("path") })
  }

  /// Paths of the newest files, and of some retired files that may still exist.
  /// - Parameter givenUp: Whether the database has the table of retired files.
  func newestFiles(limit: Int, givenUp: Bool) throws -> [String] {
    let stored: [String] = try all("SELECT path FROM files ORDER BY id DESC LIMIT \(limit)") { try $0.get("path") }
    guard givenUp else { return stored }
    return stored + (try all("SELECT path FROM file_removals LIMIT \(limit)") { try $0.get("path") })
  }

  /// Retires a picture: it can be fetched until `due` and is removed later.
  func retire(_ path: String?, due: Int64) throws {
    guard let path else { return }
    try execute(
      "INSERT INTO file_removals (path, due_at) VALUES (\(path), \(due)) ON CONFLICT (path) DO NOTHING")
  }

  /// Retires up to `limit` files of a room, and returns how many.
  func retireFiles(ofRoom room: Int64, due: Int64, limit: Int) throws -> Int {
    let paths: [String] = try all("SELECT path FROM files WHERE room_id = \(room) LIMIT \(limit)") {
      try $0.get("path")
    }
    try retireFiles(paths, due: due)
    return paths.count
  }

  /// Retires files.
  func retireFiles(_ paths: [String], due: Int64) throws {
    guard !paths.isEmpty else { return }
    try execute(
      """
      INSERT INTO file_removals (path, due_at) SELECT path, \(due) FROM files WHERE path IN (\(list: paths))
      ON CONFLICT (path) DO NOTHING
      """)
    try deleteFiles(paths)
  }

  func retiredFiles(dueBy now: Int64, limit: Int) throws -> [String] {
    try all("SELECT path FROM file_removals WHERE due_at <= \(now) ORDER BY due_at LIMIT \(limit)") {
      try $0.get("path")
    }
  }

  func deleteFiles(_ paths: [String]) throws {
    guard !paths.isEmpty else { return }
    try deleteCountedFiles(paths)
  }

  func forgetRetiredFiles(_ paths: [String]) throws {
    try execute("DELETE FROM file_removals WHERE path IN (\(list: paths))")
  }

  func hasFile(path: String) throws -> Bool {
    try first("SELECT 1 AS one FROM files WHERE path = \(path)") { _ in true } ?? false
  }

  /// A stored file, and the room whose readers may see it; nil as room if everyone may.
  /// - Parameter path: As clients see it, percent-decoded once. Throws `.notFound` if it is not a valid path.
  func file(shownPath path: String) throws -> (file: StoredFile, room: Int64?)? {
    let (path, document) = try FileStore.meant(by: path)
    let files = try all(
      """
      SELECT path, name, media_type, size, sha256, room_id FROM files
      WHERE path IN (\(list: [path] + (document.map { [$0.path] } ?? [])))
      """
    ) { (file: try StoredFile($0), room: try $0.get("room_id") as Int64?) }
    if let file = files.first(where: { $0.file.path == path }) { return file }
    guard let document else { return nil }
    return files.first { $0.file.path == document.path && $0.file.name?.isMeant(by: document.name) ?? false }
  }
}

extension StoredFile {
  init(_ row: Row) throws {
    let name: String = try row.get("media_type")
    guard let type = MediaType(rawValue: name) else {
      throw StorageError(.decoding, "there is no type of media '\(name)'")
    }
    self.init(
      path: try row.get("path"), name: try row.get("name", as: String?.self).map(DocumentName.init(encoded:)),
      type: type, size: try row.get("size"), sha256: try row.get("sha256"))
  }
}
