import Storage

/// A database and files that do not belong together, in words for the operator.
package struct ForeignFiles: Error, CustomStringConvertible {
  package enum Kind: Sendable {
    /// Each is of another installation.
    case different
    /// The files are there, but the database does not know them.
    case unknownToDatabase
    /// The database knows files, but they are not there.
    case missing
    /// The database was served with other files before, which had no uploads.
    case notShared
  }

  package let kind: Kind
  package let description: String
}

extension Madang {
  /// Makes sure that the files are the database's own, before any of them is touched: both carry the installation's id. New
  /// ones, those of versions that knew no id, and a database that was restored from before it had one, are given it.
  ///
  /// Throws ``ForeignFiles`` if they do not belong together, or seem not to.
  ///
  /// - Parameter mayBeOneOfSeveral: Whether other servers may be on the database. Then files without an id, though the
  ///   database has one and names none of them, are not taken for new: they may be this server's own, which the others do
  ///   not see.
  package func joinInstallation(mayBeOneOfSeveral: Bool) async throws {
    // First the files: another server that starts as well writes their id last.
    let theirs = try await files.installationID()
    let (ours, known) = try await database.read { transaction in
      (try transaction.installationID(), try transaction.newestFiles(limit: 100))
    }
    if let ours, let theirs {
      guard ours == theirs else {
        throw ForeignFiles(
          kind: .different,
          description: "the database is of installation \(ours), but the files are of installation \(theirs)")
      }
      return
    }
    if known.isEmpty {
      if let theirs {
        throw ForeignFiles(
          kind: .unknownToDatabase,
          description: "the files are of installation \(theirs), but the database has no id and names no files")
      }
      guard try await !files.hasUploads() else {
        throw ForeignFiles(
          kind: .unknownToDatabase, description: "there are uploaded files, but the database names none of them")
      }
      if ours != nil && mayBeOneOfSeveral { return try await waitForMark() }
    } else if try await !files.holdsAny(of: known) {
      throw ForeignFiles(
        kind: .missing,
        description: "the database names uploaded files, but none of the newest that it names is among the files")
    }
    let proposed = theirs ?? ids.uuid()
    let id = try await database.write { try $0.settleInstallationID(proposed) }
    // Files that the database names are its own. Where there are none, another server has just come first.
    if theirs == nil && id != proposed && known.isEmpty && mayBeOneOfSeveral { return try await waitForMark() }
    if theirs == nil { try await files.setInstallationID(id) }
  }

  /// Gives files that have no installation's id this one: those of a database that came here without any.
  package func markFiles(as id: String) async throws {
    if try await files.installationID() == nil { try await files.setInstallationID(id) }
  }

  /// Waits until the server that gave the database its id has given it to the files, too.
  private func waitForMark() async throws {
    for _ in 0..<100 {
      if try await files.installationID() != nil { return try await joinInstallation(mayBeOneOfSeveral: false) }
      try await Task.sleep(for: .milliseconds(50))
    }
    throw ForeignFiles(
      kind: .notShared,
      description:
        "the servers of one database need the same files, but these are not those with which it was served before")
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
