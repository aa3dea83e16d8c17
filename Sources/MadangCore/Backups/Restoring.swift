import Foundation
import Storage
import Synchronization

extension Backup {
  /// The migrations that made the backup's tables. Throws ``BackupProblem`` if this program has different ones.
  package func migrations() throws -> [Migration] {
    let known = Madang.migrations
    let named = known.prefix(manifest.migrations.count).map {
      BackupManifest.Migration(version: $0.version, name: $0.name, checksum: $0.checksum)
    }
    guard manifest.migrations.count <= known.count else {
      throw BackupProblem(
        "the backup has version \(manifest.version) of the tables, but this program knows only \(known.last?.version ?? 0); restore it with "
          + "the madang that made it, or with a newer one")
    }
    guard named == manifest.migrations else {
      throw BackupProblem("the backup's tables come from migrations that this program does not have")
    }
    return Array(known.prefix(manifest.migrations.count))
  }

  /// Verifies the backup. Throws ``BackupProblem`` with the first problems found.
  /// - Parameters:
  ///   - files: Whether to verify the files too.
  ///   - skippingDamaged: Whether to accept damaged or missing files instead of throwing.
  /// - Returns: The paths of the files that are to be skipped.
  package func requireWhole(
    files: Bool = true, skippingDamaged: Bool = false, progress: @escaping @Sendable (BackupProgress) -> Void
  ) async throws -> Set<String> {
    let found = Mutex<(problems: [String], skipped: Set<String>)>(([], []))
    try await verify(files: files, progress: progress) { damage in
      found.withLock { found in
        if skippingDamaged, let file = damage.file {
          found.skipped.insert(file)
        } else if found.problems.count < 10 {
          found.problems.append("\(folder.appending(path: damage.path).path) \(damage.problem)")
        }
      }
    }
    let (problems, skipped) = found.withLock(\.self)
    guard problems.isEmpty else {
      throw BackupProblem("the backup is damaged; nothing was restored\n\(problems.joined(separator: "\n"))")
    }
    return skipped
  }
}

extension Madang {
  /// Creates the tables of a backup in an empty database, for ``load(_:progress:)``. Throws ``BackupProblem`` if the database is not empty.
  /// - Parameter isResumed: Whether the database may already contain rows of an interrupted restore of this backup.
  package func prepareDatabase(for backup: Backup, isResumed: Bool) async throws {
    try await requireKnownTables(of: backup)
    let version = try await pendingMigrations().version
    let schema = try await Schema(Self.migrations.filter { $0.version <= version }, logger: logger)
    let (installation, used) = try await database.read { transaction in
      (
        schema.tables.contains { $0.name == "installation" } ? try transaction.installationID() : nil,
        try schema.tables.first { try transaction.hasRows($0.name) }?.name
      )
    }
    if isResumed, installation != nil, installation == backup.manifest.installation { return }
    if let used {
      throw BackupProblem(
        "the database is not empty: \(used) has rows\(installation.map { ", of installation \($0)" } ?? ""); name an empty one"
      )
    }
    guard version <= backup.manifest.version else {
      throw BackupProblem(
        "the database has tables of version \(version), but the backup's have version \(backup.manifest.version); name an "
          + "empty one")
    }
    try await database.migrate(try backup.migrations())
  }

  /// Throws ``BackupProblem`` if a backup lists other tables than its version has. Their names become part of SQL statements, and the
  /// backup is untrusted.
  private func requireKnownTables(of backup: Backup) async throws {
    let (schema, manifest) = (try await Schema(try backup.migrations(), logger: logger), backup.manifest)
    guard manifest.tables.map(\.name) == schema.tables.map(\.name),
      manifest.tables.map(\.columns) == schema.tables.map({ $0.columns.map(BackupManifest.Column.init) })
    else {
      throw BackupProblem("the backup's tables differ from those of version \(manifest.version)")
    }
  }

  /// Loads the tables of a backup in one transaction, unless an interrupted restore has done so, and then migrates them to this version.
  /// Accounts that wait for confirmation or approval wait from now on. Throws ``BackupProblem``.
  package func load(_ backup: Backup, progress: @escaping @Sendable (BackupProgress) -> Void) async throws {
    try await requireKnownTables(of: backup)
    let (manifest, folder, dialect) = (backup.manifest, backup.folder, database.dialect)
    try await database.write(ignoresStop: true) { transaction in
      if let id = manifest.installation, try transaction.installationID() == id { return }
      let count = ProgressCount("loading rows", of: manifest.rows, progress)
      for table in manifest.tables { try table.load(from: folder, in: transaction, dialect, progress: count.add) }
    }
    try await migrate()
    // Read-only mode is part of the backup, and was often switched on to make it. After a restore the server must accept writes.
    try await database.write(ignoresStop: true) { _ = try $0.endReadOnlyMode() }
    // These accounts could not be confirmed or approved meanwhile; without this they would be deleted when the server starts.
    for waiting in Waiting.allCases { try await restartWait(for: waiting) }
  }

  /// Stores the files of a backup under its installation's id. Existing files are left alone.
  /// - Parameter skipped: Paths of files that are not restored.
  package func restoreFiles(
    of backup: Backup, without skipped: Set<String>, progress: @escaping @Sendable (BackupProgress) -> Void
  ) async throws {
    guard let expected = backup.manifest.files else { return }
    try await files.prepare()
    if let id = backup.manifest.installation {
      // Set before the first file: if a server starts now, it notices that the files do not belong to its empty database.
      try await files.setInstallationID(id)
    }
    let (absent, folder) = (skipped.union(expected.absent), backup.folder)
    let count = ProgressCount("restoring files", of: expected.count, progress)
    let workers = WorkerPool(name: "restore", threads: 1, queueLimit: 8)
    defer { workers.shutdown() }
    try await backup.manifest.forEachFilePage(in: folder, workers) { page in
      try await concurrently(page.filter { !absent.contains($0.path) }, atMost: BackupFiles.parallelCopies) { file in
        if try await self.files.home.size(of: file.path) != file.size {
          try await self.files.restore(file, from: folder.appending(path: "files/\(file.path)"))
        }
        count.add(1)
      }
    }
  }

  package func restoreSecrets(of backup: Backup, to secrets: URL) async throws {
    try Self.restoreSecrets(backup.manifest.secrets, from: backup.folder, to: secrets)
  }

  /// Whether the file storage is empty, or contains only files of an interrupted restore of this backup.
  package func filesAreFree(for backup: Backup, isResumed: Bool) async throws -> Bool {
    try await files.prepare()
    guard let theirs = try await files.installationID() else {
      return isResumed ? true : try await !files.hasUploads()
    }
    return isResumed && theirs == backup.manifest.installation
  }

  /// Whether the stored files belong to the backup's installation, or neither has files.
  package func hasFiles(of backup: Backup) async throws -> Bool {
    try await files.prepare()
    guard let theirs = try await files.installationID() else {
      let names = backup.manifest.tables.first { $0.name == "files" }?.rows ?? 0
      return names > 0 ? false : try await !files.hasUploads()
    }
    return theirs == backup.manifest.installation
  }
}

extension FileStore {
  fileprivate func restore(_ file: FileEntry, from source: URL) async throws {
    let upload = try await receive(limit: file.size)
    do {
      try await append(contentsOf: source, to: upload)
      // The extension of its type is kept, so that the file has the same type as before.
      guard let staged = try await finish(upload, named: file.path), staged.size == file.size,
        staged.sha256 == file.sha256
      else {
        throw BackupProblem("\(source.path) has changed since the backup was verified")
      }
      try await home.put(staged, as: file.path)
    } catch {
      await discard([upload])
      throw error
    }
    await discard([upload])
  }
}
