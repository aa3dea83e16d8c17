import Crypto
import Foundation
import Storage

/// A problem that a check has found.
package struct Finding: Sendable {
  package enum Kind: String, Sendable {
    case database, reference, coins, room, file, installation, number, backup
  }

  package let kind: Kind
  /// What the problem is about, such as a path or `room 7`.
  package let subject: String
  package let problem: String
  package let cure: String
}

/// A part of a backup that is missing or was changed.
package struct BackupDamage: Sendable {
  /// The path in the backup.
  let path: String
  let problem: String
  /// The path of the stored file that is damaged; nil if the damaged part is no stored file.
  let file: String?

  package func finding(in backup: Backup) -> Finding {
    Finding(
      kind: .backup, subject: backup.folder.appending(path: path).path, problem: problem,
      cure: file == nil
        ? "restore another backup, and make a new one"
        : "remove it: the next backup then copies the file again; 'admin restore --skip-damaged' restores without it"
    )
  }
}

/// A backup or an export, opened for reading.
package struct Backup: Sendable {
  package let folder: URL
  package let manifest: BackupManifest

  /// Opens the backup that an operator names, or the newest in a directory of backups. Throws ``BackupProblem``.
  package init(at url: URL) throws {
    folder = try BackupFolder.backup(url)
    manifest = try BackupManifest.read(from: folder)
  }

  /// Reads the whole backup and reports what is missing or was changed. Throws ``BackupProblem`` if it cannot be read.
  /// - Parameter files: Whether to read the files too, and not only the tables.
  package func verify(
    files: Bool = true, progress: @escaping @Sendable (BackupProgress) -> Void,
    _ report: @Sendable (BackupDamage) async throws -> Void
  ) async throws {
    let workers = WorkerPool(name: "verify", threads: 2, queueLimit: 64)
    defer { workers.shutdown() }
    let rows = ProgressCount("verifying rows", of: manifest.rows, progress)
    var namesFiles = files
    for table in manifest.tables {
      if let problem = try await workers.run({ problem(of: table, rows) }) {
        try await report(BackupDamage(path: table.path, problem: problem, file: nil))
        if table.name == "files" { namesFiles = false }
      }
    }
    guard files else { return }
    for secret in manifest.secrets {
      let path = "secrets/\(secret.name)"
      let bytes =
        Madang.isSecret(secret.name)
        ? try? await workers.run {
          try InputFile.contents(of: folder.appending(path: path), limit: Madang.secretLimit)
        } : nil
      if bytes.map({ SHA256.hash(data: $0).hex }) != secret.sha256 {
        try await report(BackupDamage(path: path, problem: "is missing or damaged", file: nil))
      }
    }
    guard let files = manifest.files, namesFiles else { return }
    let absent = Set(files.absent)
    let count = ProgressCount("verifying files", of: files.count, progress)
    try await manifest.forEachFilePage(in: folder, workers) { page in
      for file in page where !absent.contains(file.path) {
        if let problem = await problem(of: file, workers) {
          try await report(BackupDamage(path: "files/\(file.path)", problem: problem, file: file.path))
        }
        count.add(1)
      }
    }
  }

  private func problem(of file: FileEntry, _ workers: WorkerPool) async -> String? {
    do {
      let digest = try await workers.run {
        try Digest(of: folder.appending(path: "files/\(file.path)"), size: file.size)
      }
      return digest?.hex == file.sha256 ? nil : "is damaged"
    } catch {
      return "is missing"
    }
  }

  private func problem(of table: BackupManifest.Table, _ count: ProgressCount) -> String? {
    do {
      let digest = try Digest(of: folder.appending(path: table.path), size: table.bytes)
      guard digest?.hex == table.sha256 else { return "is damaged" }
      let reader = try TableReader(table, in: folder)
      var rows = 0
      while case let page = try reader.next(500), !page.isEmpty {
        rows += page.count
        count.add(page.count)
      }
      return rows == table.rows ? nil : "has \(rows) rows instead of \(table.rows)"
    } catch {
      return "cannot be read: \(error)"
    }
  }
}
