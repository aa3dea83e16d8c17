import Foundation
import Logging
import MadangAPI
import MadangCore
import MadangProviders
import Storage

/// The progress of a backup, a restore or a check.
public struct WorkProgress: Sendable {
  /// The present step, in words.
  public let phase: String
  public let done: Int
  /// Nil if unknown.
  public let total: Int?

  package init(phase: String, done: Int, total: Int?) {
    (self.phase, self.done, self.total) = (phase, done, total)
  }

  init(_ progress: BackupProgress) {
    (phase, done, total) = (progress.phase, progress.done, progress.total)
  }
}

public typealias TellProgress = @Sendable (WorkProgress) -> Void

extension Administration {
  /// Makes a backup of database, files and secrets in a directory of backups, while the server may run.
  /// - Parameters:
  ///   - keep: How many backups to keep, including this one; nil for all.
  ///   - atFullSpeed: If false it pauses as long as it works, so that people hardly wait longer meanwhile.
  public func backUp(
    to directory: URL, keep: Int?, atFullSpeed: Bool = false, progress: @escaping TellProgress
  ) async throws -> BackupSummary {
    guard !directory.isWithin(settings.dataDirectory) else {
      throw AdministrationError(
        description:
          "\(directory.path) is in the data directory, which the backup must be able to replace; name a directory elsewhere"
      )
    }
    return try await wording {
      let backup = BackupSummary(
        try await madang.backUp(
          to: directory, secrets: settings.secretsDirectory, keep: keep, atFullSpeed ? .full : .gentle
        ) { progress(WorkProgress($0)) })
      try await audit(.backupMade, backup)
      return backup
    }
  }

  /// Writes the database alone to an empty directory, for ``importDatabase(_:from:logger:progress:)``.
  public func export(to directory: URL, progress: @escaping TellProgress) async throws -> BackupSummary {
    try await wording {
      let export = BackupSummary(try await madang.export(to: directory) { progress(WorkProgress($0)) })
      try await audit(.exportMade, export)
      return export
    }
  }

  /// Whether a server runs on this database.
  public func isServed() async throws -> Bool {
    guard settings.database.url != nil else { return settings.isServed }
    // The server that does the housekeeping holds it.
    return try await !madang.database.tryAdvisoryLock("housekeeping")
  }

  private func audit(_ kind: AuditKind, _ made: BackupSummary) async throws {
    do {
      try await madang.audit(
        kind, subject: made.path, detail: ["rows": "\(made.rows)", "files": "\(made.files)"],
        by: administrator)
    } catch {
      throw AdministrationError(
        description: "\(made.path) is complete, but it could not be recorded in the audit log: "
          + "\((error as? StorageError)?.message ?? "\(error)")")
    }
  }

  /// Checks the data, while the server may run, and reports each finding.
  /// - Parameter hashes: Whether to read all files completely, not only their sizes.
  /// - Returns: The number of findings.
  public func check(
    hashes: Bool, progress: @escaping TellProgress, report: @escaping @Sendable (FindingSummary) async throws -> Void
  ) async throws -> Int {
    try await wording {
      try await counting(report) {
        try await madang.check(hashes: hashes, progress: { progress(WorkProgress($0)) }, $0)
      }
    }
  }

  /// Checks all of a backup or an export, or the newest in a directory of backups.
  public static func check(
    backup url: URL, progress: @escaping TellProgress,
    report: @escaping @Sendable (FindingSummary) async throws -> Void
  ) async throws -> Int {
    try await wording {
      let backup = try Backup(at: url)
      return try await counting(report) { report in
        try await backup.verify(progress: { progress(WorkProgress($0)) }) { try await report($0.finding(in: backup)) }
      }
    }
  }
}

/// Runs `check` and returns the number of findings.
private func counting(
  _ report: @escaping @Sendable (FindingSummary) async throws -> Void,
  _ check: (@escaping @Sendable (Finding) async throws -> Void) async throws -> Void
) async throws -> Int {
  let count = Counter()
  try await check { finding in
    await count.add()
    try await report(FindingSummary(finding))
  }
  return await count.value
}

private actor Counter {
  private(set) var value = 0
  func add() { value += 1 }
}

/// Runs an operation on a backup, and turns its errors into words for administrators.
func wording<Success>(_ body: () async throws -> Success) async throws -> Success {
  do { return try await body() } catch let problem as BackupProblem {
    throw AdministrationError(description: problem.description)
  } catch let error as StorageError {
    throw AdministrationError(description: "the database refused it: \(error.words)")
  } catch let error as S3Error {
    throw AdministrationError(description: "the bucket cannot be used: \(error)\n\(error.cure)")
  } catch let error as POSIXError {
    throw AdministrationError(description: String(cString: strerror(error.code.rawValue)))
  } catch let error as CocoaError {
    throw AdministrationError(description: "\(error.filePath ?? "a file"): \(error.localizedDescription)")
  }
}

extension URL {
  /// Whether a path is the directory or inside it, with links resolved. Neither has to exist.
  func isWithin(_ directory: URL) -> Bool {
    func parts(_ url: URL) -> [String] {
      var (there, missing) = (url.standardizedFileURL, [String]())
      while !FileManager.default.fileExists(atPath: there.path), there.pathComponents.count > 1 {
        missing.insert(there.lastPathComponent, at: 0)
        there.deleteLastPathComponent()
      }
      return there.resolvingSymlinksInPath().pathComponents + missing
    }
    return parts(self).starts(with: parts(directory))
  }
}

/// The result of a backup or an export.
public struct BackupSummary: Encodable, Sendable {
  public let path: String
  public let createdAt: String
  public let installation: String?
  /// Of the database's tables.
  public let version: Int
  public let rows: Int
  public let files: Int
  public let bytes: Int
  /// Files without extra space, because the previous backup has them, too.
  public let linked: Int
  /// Missing or damaged files that the database names, in words.
  public let losses: [String]
  /// Removed older backups.
  public let removed: Int

  init(_ outcome: BackupOutcome) {
    path = outcome.folder.path
    createdAt = WireDate.string(outcome.manifest.createdAt)
    installation = outcome.manifest.installation
    version = outcome.manifest.version
    rows = outcome.manifest.rows
    files = outcome.files
    bytes = outcome.bytes
    linked = outcome.linked
    losses = outcome.losses
    removed = outcome.removed
  }
}

/// The result of a restore or an import.
public struct RestoreSummary: Encodable, Sendable {
  /// Of the backup.
  public let path: String
  /// When the backup was made.
  public let createdAt: String
  public let installation: String?
  /// Of the database's tables, in the backup.
  public let version: Int
  public let rows: Int
  public let files: Int
  /// Files that are damaged or missing in the backup and were skipped.
  public let skipped: Int
  /// The new place of the embedded database that the imported one replaces; nil if there was none.
  public let aside: String?

  init(_ backup: Backup, files: Int, skipped: Int, aside: String? = nil) {
    path = backup.folder.path
    createdAt = WireDate.string(backup.manifest.createdAt)
    installation = backup.manifest.installation
    version = backup.manifest.version
    rows = backup.manifest.rows
    self.files = files
    self.skipped = skipped
    self.aside = aside
  }
}

/// A problem found by a check.
public struct FindingSummary: Encodable, Sendable {
  /// `database`, `reference`, `coins`, `room`, `file`, `installation`, `number` or `backup`.
  public let kind: String
  /// The subject, such as a path or `room 7`.
  public let subject: String
  public let problem: String
  public let cure: String

  init(_ finding: Finding) {
    kind = finding.kind.rawValue
    subject = finding.subject
    problem = finding.problem
    cure = finding.cure
  }
}
