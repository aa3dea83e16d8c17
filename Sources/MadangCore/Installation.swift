import Storage

/// A database and a directory of files that do not belong together, in words for the operator.
package struct ForeignFiles: Error, CustomStringConvertible {
  package let description: String
}

extension Madang {
  /// Makes sure that the files are the database's own, before anything is written to them: both carry the
  /// installation's id. New ones, and those of versions that knew no id, are given one.
  ///
  /// Throws ``ForeignFiles`` if they do not belong together, or seem not to.
  package func joinInstallation() async throws {
    let (ours, known) = try await database.read { transaction in
      (try transaction.installationID(), try transaction.newestFiles(limit: 100))
    }
    switch (ours, try await files.installationID()) {
    case (let ours?, let theirs?):
      guard ours == theirs else {
        throw ForeignFiles(
          description: "the database is of installation \(ours), but the files are of installation \(theirs)")
      }
    case (nil, let theirs?):
      throw ForeignFiles(
        description: "the files are of installation \(theirs), but the database is new and knows none of them")
    case (let ours?, nil):
      try await requireOwn(known)
      try await files.setInstallationID(ours)
    case (nil, nil):
      try await requireOwn(known)
      if known.isEmpty, try await files.hasUploads() {
        throw ForeignFiles(description: "there are uploaded files, but the database knows none of them")
      }
      let id = try await database.write { [id = ids.uuid()] in try $0.settleInstallationID(id) }
      try await files.setInstallationID(id)
    }
  }

  /// Files that carry no id are the database's if they hold any of those that it names.
  private func requireOwn(_ known: [String]) async throws {
    guard !known.isEmpty, try await !files.holdsAny(of: known) else { return }
    throw ForeignFiles(
      description: "the database names uploaded files, but none of the last \(known.count) is among the files")
  }
}

extension Transaction {
  fileprivate func installationID() throws -> String? {
    try first("SELECT value FROM installation WHERE name = 'id'") { try $0.get("value") }
  }

  /// The installation's id, which is the given one if it has none: of servers that start at once, one decides.
  fileprivate func settleInstallationID(_ id: String) throws -> String {
    try execute("INSERT INTO installation (name, value) VALUES ('id', \(id)) ON CONFLICT (name) DO NOTHING")
    guard let id = try installationID() else { throw UnexpectedlyEmpty() }
    return id
  }
}
