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

/// The migrations that make the tables which tell whose files and database are.
private enum Since {
  static let files = 1
  static let fileRemovals = 2
  static let installation = 5
}

/// What files and database say of the installation to which they belong.
private struct Marks: Sendable {
  /// The id that the files carry; nil for none.
  var files: String?
  /// The database's; nil for none.
  var database: String?
  /// Whether a server has been started on the database: the key of access tokens comes after the id.
  var wasServed = false
  /// Paths of the newest files that the database names.
  var known: [String] = []

  /// Whether neither has anything that the other one could lack.
  var areNew: Bool { files == nil && known.isEmpty }
  /// Whether the database was served with files that carry its id: then those without it are others.
  var areElsewhere: Bool { areNew && database != nil && wasServed }
}

extension Madang {
  /// Throws ``ForeignFiles`` if files and database do not belong together, or seem not to. Changes neither. The database's
  /// tables may be of any version, or not be there: it is for asking before they are made.
  /// - Parameter mayBeAbsent: Whether there may be no files here, or none that carry an id. Then nothing is refused.
  package func refuseForeignFiles(mayBeAbsent: Bool) async throws {
    if mayBeAbsent, try await files.installationID() == nil { return }
    _ = try await marks()
  }

  /// Makes sure that the files are the database's own, before any of them is touched: both carry the installation's id. New
  /// ones, those of versions that knew no id, and a database that was restored from before it had one, are given it.
  ///
  /// Throws ``ForeignFiles`` if they do not belong together, or seem not to.
  ///
  /// - Parameter mayBeOneOfSeveral: Whether other servers may be on the database. Then files without an id, though the
  ///   database was served before and names none of them, are not taken for new: they may be this server's own, which the
  ///   others do not see.
  /// - Returns: Whether the installation is new.
  package func joinInstallation(mayBeOneOfSeveral: Bool) async throws -> Bool {
    for _ in 0..<100 {
      // Kept until the end. So a server that finds an id in the database, but none in the files, tells one that was cut off
      // between the two from one that is just about to write it.
      let isFirst = try await database.tryAdvisoryLock("installation")
      let marks = try await marks()
      if marks.files != nil && marks.database != nil { return false }
      if !marks.areNew || !mayBeOneOfSeveral || (isFirst && !marks.areElsewhere) {
        let proposed = marks.database ?? marks.files ?? ids.uuid()
        // Else another server has just come first.
        if try await database.write(heedsStop: false, { try $0.settleInstallationID(proposed) }) == proposed {
          if marks.files == nil { try await files.setInstallationID(proposed) }
          return marks.areNew && !marks.wasServed
        }
      }
      try await Task.sleep(for: .milliseconds(50))
    }
    throw ForeignFiles(
      kind: .notShared,
      description:
        "the servers of one database need the same files, but these are not those with which it was served before")
  }

  /// Gives files that have no installation's id this one: those of a database that came here without any.
  package func markFiles(as id: String) async throws {
    if try await files.installationID() == nil { try await files.setInstallationID(id) }
  }

  /// Reads whose files and database are. Throws ``ForeignFiles``.
  private func marks() async throws -> Marks {
    // First the files: another server that starts as well writes their id last.
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
