import Foundation
import Logging
import Storage
import Synchronization

/// The result of a backup.
package struct BackupOutcome: Sendable {
  package let folder: URL
  package let manifest: BackupManifest
  /// Number of files in the backup.
  package let files: Int
  package let bytes: Int
  /// How many of the files are hard links to the previous backup.
  package let linked: Int
  /// Files that rows name and that were missing or damaged, in words.
  package let losses: [String]
  /// Number of old backups that were removed.
  package let removed: Int
}

extension Madang {
  /// With more lost files than this the backup is refused: the files probably belong to another database.
  static let lossLimit = 1000

  /// Makes a backup in a directory of backups: the database as of one moment, then the files that its rows name, then the secrets. The
  /// server may go on meanwhile. Files that the newest backup has are hard-linked to it. The backup is complete, or it does not appear at
  /// all.
  ///
  /// Throws ``BackupProblem``.
  /// - Parameters:
  ///   - secrets: A directory whose files are included.
  ///   - keep: How many backups stay, this one included; nil for all.
  package func backUp(
    to directory: URL, secrets: URL, keep: Int?, _ pace: Pace, progress: @escaping @Sendable (BackupProgress) -> Void
  ) async throws -> BackupOutcome {
    let backups = BackupFolder(url: directory)
    let workers = WorkerPool(name: "backup", threads: pace == .full ? 4 : 1, queueLimit: 64)
    defer { workers.shutdown() }
    let lock = try await workers.run { try backups.prepare() }
    defer { withExtendedLifetime(lock) {} }
    let previous = try await workers.run { try backups.backups().last }
    try await requireSameInstallation(previous)
    let now = Clock.systemTime()
    let folder = try await workers.run { try backups.begin(at: now) }
    do {
      let dumped = try await dumpDatabase(to: folder, at: now, pace, progress: progress)
      let files = try await bringFiles(dumped, to: folder, previous: previous, pace, workers, progress: progress)
      let kept = try await workers.run { try Self.copySecrets(secrets, to: folder) }
      let manifest = dumped.with(
        files: .init(count: files.count, bytes: files.bytes, absent: files.absent), secrets: kept)
      let (whole, removed) = try await workers.run {
        try manifest.write(to: folder)
        try flushDirectory(folder)
        let made = try backups.end(folder)
        return (made, try keep.map { try backups.keep($0, with: made) } ?? 0)
      }
      return BackupOutcome(
        folder: whole, manifest: manifest, files: files.count, bytes: files.bytes, linked: files.linked,
        losses: files.losses, removed: removed)
    } catch {
      // If it cannot be removed now, the next backup removes it: its name marks it as partial.
      try? FileManager.default.removeItem(at: folder)
      throw error
    }
  }

  /// Writes the database alone, as of one moment, to a directory that does not exist, or is empty and owned by the caller. Throws
  /// ``BackupProblem``.
  package func export(
    to folder: URL, progress: @escaping @Sendable (BackupProgress) -> Void
  ) async throws -> BackupOutcome {
    let there = try? FileManager.default.contentsOfDirectory(atPath: folder.path)
    guard there?.isEmpty ?? true else { throw BackupProblem("\(folder.path) is not empty; name another directory") }
    if there == nil { try makePrivateDirectory(folder) } else { try requireOwnDirectory(folder) }
    do {
      let manifest = try await dumpDatabase(to: folder, at: Clock.systemTime(), .full, progress: progress)
      try manifest.write(to: folder)
      try flushDirectory(folder)
      return BackupOutcome(folder: folder, manifest: manifest, files: 0, bytes: 0, linked: 0, losses: [], removed: 0)
    } catch {
      for name in (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [] {
        try? FileManager.default.removeItem(at: folder.appending(path: name))
      }
      throw error
    }
  }

  /// Writes all tables as of one moment. Returns a manifest that lists the tables only.
  private func dumpDatabase(
    to folder: URL, at time: Int64, _ pace: Pace, progress: @escaping @Sendable (BackupProgress) -> Void
  ) async throws -> BackupManifest {
    let (version, pending) = try await pendingMigrations()
    let migrations = Self.migrations
    guard pending.isEmpty, version == migrations.last?.version else {
      throw BackupProblem(
        "the database is at version \(version), which differs from this program's; use the madang that serves it")
    }
    let schema = try await Schema(migrations, logger: logger)
    try makePrivateDirectory(folder.appending(path: "tables"))
    let dialect = database.dialect
    let count = ProgressCount("reading the database", progress)
    let (tables, installation) = try await database.readAtLength(copyIn: folder, pace, logger: logger) { transaction in
      (
        try schema.tables.map { try transaction.dump($0, to: folder, pace, dialect, progress: count.add) },
        try transaction.installationID()
      )
    }
    try flushDirectory(folder.appending(path: "tables"))
    return BackupManifest(
      format: BackupManifest.currentFormat, createdAt: time, installation: installation,
      engine: dialect == .sqlite ? "sqlite" : "postgres",
      migrations: migrations.map { .init(version: $0.version, name: $0.name, checksum: $0.checksum) }, tables: tables,
      files: nil, secrets: [])
  }

  /// Throws ``BackupProblem`` if the files or the existing backups belong to another installation than the database.
  private func requireSameInstallation(_ previous: URL?) async throws {
    let ours = try await database.read { try $0.installationID() }
    let theirs = try await files.installationID()
    guard ours == theirs else {
      throw BackupProblem(
        "the database is of installation \(ours ?? "none"), but the files are of installation \(theirs ?? "none"); check that "
          + "--data, --files and --database-url belong together")
    }
    guard let previous, let former = try? BackupManifest.read(from: previous) else { return }
    guard former.installation == ours else {
      throw BackupProblem(
        "\(previous.deletingLastPathComponent().path) has backups of installation \(former.installation ?? "none"), but this "
          + "is \(ours ?? "none"); name another directory")
    }
  }

  private struct BroughtFiles {
    var (count, bytes, linked) = (0, 0, 0)
    var absent: [String] = []
    var losses: [String] = []
  }

  private func bringFiles(
    _ manifest: BackupManifest, to folder: URL, previous: URL?, _ pace: Pace, _ workers: WorkerPool,
    progress: @escaping @Sendable (BackupProgress) -> Void
  ) async throws -> BroughtFiles {
    let copies = BackupFiles(home: files.home, folder: folder, previous: previous, pace: pace, workers: workers)
    try await workers.run { try copies.prepare() }
    let all = ProgressCount("copying files", of: manifest.tables.first { $0.name == "files" }?.rows, progress)
    let brought = Mutex(BroughtFiles())
    try await manifest.forEachFilePage(in: folder, workers) { page in
      try await copies.bring(page) { file, outcome in
        let problem: String? =
          switch outcome {
          case .absent(let words): words
          case .linked(let problem): problem.map { "\($0); the backup uses the copy in the previous backup" }
          case .copied: nil
          }
        // If a room was deleted meanwhile, its files are gone with it; that is no loss.
        let loss = if let problem, try await self.isNamed(file.path) { "\(file.path) \(problem)" } else { String?.none }
        brought.withLock { brought in
          if let loss { brought.losses.append(loss) }
          switch outcome {
          case .absent: brought.absent.append(file.path)
          case .linked, .copied:
            brought.count += 1
            brought.bytes += file.size
            if case .linked = outcome { brought.linked += 1 }
          }
        }
        all.add(1)
      }
      guard brought.withLock({ $0.losses.count }) <= Self.lossLimit else {
        throw BackupProblem(
          "more than \(Self.lossLimit) files that the database names are missing; check that --data or --files names "
            + "its files")
      }
    }
    try await workers.run { try copies.flush() }
    return brought.withLock(\.self)
  }

  /// Whether a row names the stored file now.
  func isNamed(_ path: String) async throws -> Bool {
    try await database.read { try $0.hasFile(path: path) }
  }
}
