import Storage

/// A database and files that do not belong together, described for the operator.
package struct ForeignFiles: Error, CustomStringConvertible {
  package enum Kind: Sendable {
    /// They belong to different installations.
    case different
    /// The files exist, but the database does not know them.
    case unknownToDatabase
    /// The database names files that are missing.
    case missing
    /// The database was served with other files before, which had no uploads.
    case notShared
  }

  package let kind: Kind
  package let description: String
}

/// The migrations that create the tables with the marks of an installation.
private enum Since {
  static let files = 1
  static let fileRemovals = 2
  static let installation = 5
}

/// The marks of the installation in files and database.
private struct Marks: Sendable {
  /// The id stored with the files; nil if there is none.
  var files: String?
  /// The id stored in the database; nil if there is none.
  var database: String?
  /// Whether a server was started on the database: the key of access tokens is stored after the id.
  var wasServed = false
  /// Paths of the newest files that the database names.
  var known: [String] = []

  /// Whether neither side has anything that the other could lack.
  var areNew: Bool { files == nil && known.isEmpty }
  /// Whether the database was served with files that carry its id, so that files without an id are different ones.
  var areElsewhere: Bool { areNew && database != nil && wasServed }
}

extension Madang {
  /// Throws ``ForeignFiles`` if files and database do not belong together, or probably do not. Changes neither. The database's tables may
  /// have any version or may not exist: call this before they are created.
  /// - Parameter mayBeAbsent: Whether files without an id, or no files at all, are accepted.
  package func refuseForeignFiles(mayBeAbsent: Bool) async throws {
    if mayBeAbsent, try await files.installationID() == nil { return }
    _ = try await marks()
  }

  /// Makes sure, before any file is touched, that the files belong to the database: both must carry the installation's id. A new
  /// installation gets an id; so do files and databases that are older than the id.
  ///
  /// Throws ``ForeignFiles`` if they do not belong together, or probably do not.
  ///
  /// - Parameter mayBeOneOfSeveral: Whether other servers may use the database. Then files without an id are not treated as new if the
  ///   database was served before and names no files: they may be local files of this server, which the other servers cannot see.
  /// - Returns: Whether the installation is new.
  package func joinInstallation(mayBeOneOfSeveral: Bool) async throws -> Bool {
    for _ in 0..<100 {
      // Held until the end. A server that finds an id in the database but none in the files can thus tell whether another server is about
      // to write it or was interrupted before.
      let isFirst = try await database.tryAdvisoryLock("installation")
      let marks = try await marks()
      if marks.files != nil && marks.database != nil { return false }
      if !marks.areNew || !mayBeOneOfSeveral || (isFirst && !marks.areElsewhere) {
        let proposed = marks.database ?? marks.files ?? ids.uuid()
        // False if another server has just stored a different id.
        if try await database.write(ignoresStop: true, { try $0.settleInstallationID(proposed) }) == proposed {
          if marks.files == nil { try await files.setInstallationID(proposed) }
          return marks.areNew && !marks.wasServed
        }
      }
      try await Task.sleep(for: .milliseconds(50))
    }
    throw ForeignFiles(
      kind: .notShared,
      description:
        "all servers of one database need the same files, but these are other files than before")
  }

  /// Stores the installation's id with files that have none.
  package func markFiles(as id: String) async throws {
    if try await files.installationID() == nil { try await files.setInstallationID(id) }
  }

  /// Reads the marks of files and database. Throws ``ForeignFiles``.
  private func marks() async throws -> Marks {
    // Files are read first, because another starting server writes their id last.
    let theirs = try await files.installationID()
    let missing = Set(try await pendingMigrations().pending.map(\.version))
    let marks = try await database.read { transaction in
      var marks = Marks(files: theirs)
      guard !missing.contains(Since.files) else { return marks }
      marks.known = try transaction.newestFiles(limit: 100, givenUp: !missing.contains(Since.fileRemovals))
      guard !missing.contains(Since.installation) else { return marks }
      marks.database = try transaction.installationID()
      marks.wasServed = try transaction.wasServed()
      return marks
    }
    try await refuseForeign(marks)
    return marks
  }

  private func refuseForeign(_ marks: Marks) async throws {
    if let ours = marks.database, let theirs = marks.files {
      guard ours == theirs else {
        throw ForeignFiles(
          kind: .different,
          description: "the database is of installation \(ours), but the files are of installation \(theirs)")
      }
    } else if !marks.known.isEmpty {
      guard try await files.holdsAny(of: marks.known) else {
        throw ForeignFiles(
          kind: .missing,
          description: "the database names uploaded files, but none of the newest that it names is among the files")
      }
    } else if let theirs = marks.files {
      throw ForeignFiles(
        kind: .unknownToDatabase,
        description: "the files are of installation \(theirs), but the database has no id and names no files")
    } else if try await files.hasUploads() {
      throw ForeignFiles(
        kind: .unknownToDatabase, description: "there are uploaded files, but the database names none of them")
    }
  }
}
