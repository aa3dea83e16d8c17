import Storage

/// A database and files that do not belong together, in words for the operator.
package struct ForeignFiles: Error, CustomStringConvertible {
  package let description: String
}

extension Madang {
  /// Makes sure that the files are the database's own, before any of them is touched: both carry the installation's id. New
  /// ones, those of versions that knew no id, and a database that was restored from before it had one, are given it.
  ///
  /// Throws ``ForeignFiles`` if they do not belong together, or seem not to.
  ///
  /// - Parameter isOneOfSeveral: Whether other servers are on the database and in the same directory. Then files without an id, though the database has
  ///   one and names none of them, are not taken for new: they may be this server's own, which the others do not see.
  package func joinInstallation(isOneOfSeveral: Bool = false) async throws {
    // First the files: another server that starts as well writes their id last.
    let theirs = try await files.installationID()
    let (ours, known) = try await database.read { transaction in
      (try transaction.installationID(), try transaction.newestFiles(limit: 100))
    }
    if let ours, let theirs {
      guard ours == theirs else {
        throw ForeignFiles(
          description: "the database is of installation \(ours), but the files are of installation \(theirs)")
      }
      return
    }
    if known.isEmpty {
      if let theirs {
        throw ForeignFiles(
          description: "the files are of installation \(theirs), but the database has no id and names no files")
      }
      guard try await !files.hasUploads() else {
        throw ForeignFiles(description: "there are uploaded files, but the database names none of them")
      }
      if ours != nil && isOneOfSeveral { return try await waitForMark() }
    } else if try await !files.holdsAny(of: known) {
      throw ForeignFiles(
        description: "the database names uploaded files, but none of the newest that it names is among the files")
    }
    let proposed = theirs ?? ids.uuid()
    let id = try await database.write { try $0.settleInstallationID(proposed) }
    if theirs == nil && id != proposed && isOneOfSeveral { return try await waitForMark() }
    if theirs == nil { try await files.setInstallationID(id) }
  }

  /// Waits until the server that gave the database its id has given it to the files, too.
  private func waitForMark() async throws {
    for _ in 0..<100 {
      if try await files.installationID() != nil { return try await joinInstallation() }
      try await Task.sleep(for: .milliseconds(50))
    }
    throw ForeignFiles(
      description: "the servers of one database need the same files, but the others do not see this server's")
  }
}

extension Transaction {
  func installationID() throws -> String? {
    try first("SELECT value FROM installation WHERE name = 'id'") { try $0.get("value") }
  }

  /// The installation's id, which is the given one if it has none: of servers that start at once, one decides.
  fileprivate func settleInstallationID(_ id: String) throws -> String {
    try execute("INSERT INTO installation (name, value) VALUES ('id', \(id)) ON CONFLICT (name) DO NOTHING")
    guard let id = try installationID() else { throw UnexpectedlyEmpty() }
    return id
  }
}
