import Foundation
import Logging
import MadangAPI
import MadangCore
import Storage

/// A marker file in a data directory during a restore. While it exists, no server starts there.
package struct RestoreMarker {
  /// The name of the marker while it is written; a killed restore may leave it.
  static let draftName = "restoring.new"

  private let file: URL
  private let draft: URL

  package init(in dataDirectory: URL) {
    file = dataDirectory.appending(path: "restoring")
    draft = dataDirectory.appending(path: Self.draftName)
  }

  /// The identity of the backup that is being restored; nil if none is.
  var backup: String? { try? String(contentsOf: file, encoding: .utf8) }

  func set(_ backup: String) throws {
    try Data(backup.utf8).write(to: draft)
    try FileManager.default.moveItem(at: draft, to: file)
  }

  func remove() throws { try FileManager.default.removeItem(at: file) }

  /// Throws ``SetupError`` while the marker exists.
  package func refuseServing() throws {
    guard backup != nil else { return }
    throw SetupError(
      "a restore into \(file.deletingLastPathComponent().path) is unfinished; run 'madang admin restore' again with the same "
        + "backup, or name another directory")
  }
}

extension Administration {
  /// Restores a backup, or the newest in a directory of backups, to the place of these settings, which must be empty; or
  /// continues an interrupted restore. The whole backup is verified first.
  /// - Parameter skippingDamaged: Whether to restore without files that are damaged or missing in the backup.
  /// - Throws: ``AdministrationError``, ``SetupError``.
  public static func restore(
    _ settings: ServerSettings, from url: URL, skippingDamaged: Bool, logger: Logger, progress: @escaping TellProgress
  ) async throws -> RestoreSummary {
    try await wording {
      let backup = try Backup(at: url)
      guard backup.manifest.holdsFiles else {
        throw AdministrationError(
          description: "\(backup.folder.path) is an export, without files; use 'madang admin import'")
      }
      _ = try backup.migrations()
      let skipped = try await backup.requireWhole(skippingDamaged: skippingDamaged) { progress(WorkProgress($0)) }
      let target = RestoreTarget(settings)
      try target.claim(for: backup)
      var hasBegun = false
      do {
        try await withEmptyDatabase(
          settings, logger,
          prepare: { madang in
            try await target.requireFreeFiles(madang, backup)
            try await madang.prepareDatabase(for: backup, isResumed: target.isResumed)
          }
        ) { madang in
          hasBegun = true
          try await madang.restoreFiles(of: backup, without: skipped) { progress(WorkProgress($0)) }
          try await madang.restoreSecrets(of: backup, to: settings.secretsDirectory)
          // Last, because a server accepts the files only once the database has the installation's id.
          try await madang.load(backup) { progress(WorkProgress($0)) }
          try await madang.audit(.restored, of: backup)
        }
      } catch {
        if !hasBegun { target.giveBack() }
        throw error
      }
      try target.marker.remove()
      return RestoreSummary(backup, files: backup.manifest.fileCount - skipped.count, skipped: skipped.count)
    }
  }

  /// Loads the database of an export or a backup into the database of these settings, which must be empty. Files and
  /// secrets stay as they are; the files must belong to the installation. An embedded database in the data directory that
  /// PostgreSQL replaces is renamed: otherwise commands without --database-url would continue with it.
  /// - Parameter allowsOlder: Whether the embedded database may have newer rows; otherwise the import is refused.
  /// - Throws: ``AdministrationError``, ``SetupError``.
  public static func importDatabase(
    _ settings: ServerSettings, from url: URL, allowsOlder: Bool = false, logger: Logger,
    progress: @escaping TellProgress
  ) async throws -> RestoreSummary {
    try await wording {
      let backup = try Backup(at: url)
      _ = try backup.migrations()
      _ = try await backup.requireWhole(files: false) { progress(WorkProgress($0)) }
      try settings.makeDataDirectory()
      let former = settings.database.url == nil ? nil : try FormerDatabase(in: settings)
      defer { former?.release() }
      if !allowsOlder { try await former?.requireNothingNewer(than: backup, logger) }
      try await withEmptyDatabase(
        settings, logger,
        prepare: { madang in
          guard try await madang.hasFiles(of: backup) else {
            throw AdministrationError(
              description: "the files in \(settings.filesPlace) are not of installation "
                + "\(backup.manifest.installation ?? "none"); copy the right files there first, or restore a backup with files"
            )
          }
          try await madang.prepareDatabase(for: backup, isResumed: false)
        }
      ) { madang in
        try await madang.load(backup) { progress(WorkProgress($0)) }
        try await madang.audit(.restored, of: backup)
        if let id = backup.manifest.installation { try await madang.markFiles(as: id) }
      }
      return RestoreSummary(backup, files: 0, skipped: 0, aside: try former?.putAside())
    }
  }

  private static func withEmptyDatabase(
    _ settings: ServerSettings, _ logger: Logger, prepare: (Madang) async throws -> Void,
    _ body: (Madang) async throws -> Void
  ) async throws {
    let sink = AuditSink(settings, clock: Clock(), logger: logger)
    let file = settings.database.url == nil ? settings.databaseFile : nil
    let isNew = file.map { !FileManager.default.fileExists(atPath: $0.path) } ?? false
    do {
      let madang = try await openMadang(
        settings.ofAdministrator, clock: Clock(), ids: IDSource(), pools: WorkerPools(settings), logger: logger,
        announce: sink.hear, prepare: prepare)
      let result: Result<Void, any Error>
      do { result = .success(try await body(madang)) } catch { result = .failure(error) }
      await madang.database.close()
      await sink.close()
      try result.get()
    } catch {
      if isNew, let file {
        for suffix in ["", "-wal", "-shm", "-lock"] { try? FileManager.default.removeItem(atPath: file.path + suffix) }
      }
      throw error
    }
  }
}

extension Madang {
  fileprivate func audit(_ kind: AuditKind, of backup: Backup) async throws {
    try await audit(
      kind, subject: backup.folder.path,
      detail: ["madeAt": WireDate.string(backup.manifest.createdAt), "rows": "\(backup.manifest.rows)"],
      by: .ofThisProcess)
  }
}

/// A data directory that is empty, or has an interrupted restore of the same backup.
private struct RestoreTarget {
  let settings: ServerSettings
  let marker: RestoreMarker
  let isResumed: Bool

  init(_ settings: ServerSettings) {
    self.settings = settings
    marker = RestoreMarker(in: settings.dataDirectory)
    isResumed = marker.backup != nil
  }

  private var contents: [String] {
    let names = try? FileManager.default.contentsOfDirectory(atPath: settings.dataDirectory.path)
    return (names ?? []).filter { !["lost+found", RestoreMarker.draftName].contains($0) }
  }

  func claim(for backup: Backup) throws {
    let identity = backup.manifest.identity
    if let theirs = marker.backup {
      guard theirs == identity else {
        throw AdministrationError(
          description:
            "the restore of another backup into \(settings.dataDirectory.path) is unfinished; run that one again, or "
            + "name another directory with --data")
      }
      return
    }
    guard contents.isEmpty else {
      throw AdministrationError(
        description:
          "\(settings.dataDirectory.path) is not empty; name another directory with --data. If only the database was "
          + "lost and its files should stay, use 'madang admin import'")
    }
    try settings.makeDataDirectory()
    try marker.set(identity)
  }

  /// Removes the marker and files that opening the place creates, before anything was restored.
  func giveBack() {
    guard !isResumed else { return }
    for name in contents { try? FileManager.default.removeItem(at: settings.dataDirectory.appending(path: name)) }
  }

  func requireFreeFiles(_ madang: Madang, _ backup: Backup) async throws {
    guard try await madang.filesAreFree(for: backup, isResumed: isResumed) else {
      throw AdministrationError(
        description:
          "there are files in \(settings.filesPlace); name an empty location. If only the database was lost and the files should "
          + "stay, use 'madang admin import' while no other server uses these files")
    }
  }
}
