import Foundation
import Storage

/// A directory of backups. Each complete backup is a directory `<date>/`; a backup that is in progress or was interrupted is
/// `<date>.partial/`. Calls block. Throws ``BackupProblem``.
package struct BackupFolder: Sendable {
  static let lockName = ".lock"
  private static let partial = ".partial"

  let url: URL

  /// Complete backups, oldest first.
  func backups() throws -> [URL] {
    try names().filter(Self.isName).sorted().map { url.appending(path: $0, directoryHint: .isDirectory) }
  }

  /// Creates the directory if it is missing, locks it, and removes interrupted backups. The lock ends with its last reference.
  func prepare() throws -> FileLock {
    do { try makePrivateDirectories(url) } catch {
      throw BackupProblem("\(url.path) cannot be created: \(error.localizedDescription)")
    }
    try requireOwnDirectory(url)
    let others = try names().filter { name in
      !Self.isName(name) && name != Self.lockName && name != "lost+found"
        && !(name.hasSuffix(Self.partial) && Self.isName(String(name.dropLast(Self.partial.count))))
    }
    if let other = others.min() {
      throw BackupProblem("\(url.path) has other files than backups (\(other)); name a directory for backups only")
    }
    let lock = FileLock(path: url.appending(path: Self.lockName).path)
    do {
      guard try lock.takeAlone() else { throw BackupProblem("another backup into \(url.path) is under way") }
    } catch let error as StorageError {
      throw BackupProblem(error.message)
    }
    for name in try names() where name.hasSuffix(Self.partial) { try remove(url.appending(path: name)) }
    return lock
  }

  /// Creates the directory of a new backup. Its date must be the latest: a backup with a later date would be treated as the newest, and be
  /// restored, linked to and kept instead of this one.
  func begin(at time: Int64) throws -> URL {
    let name = Self.name(of: time)
    if let newest = try backups().last?.lastPathComponent, newest >= name {
      throw BackupProblem(
        "\(url.path) has \(newest), but it is \(name) now: the newest backup must not be later than now. Correct this "
          + "machine's clock; if it is right, move \(newest) to another directory")
    }
    let folder = url.appending(path: name + Self.partial, directoryHint: .isDirectory)
    try makePrivateDirectory(folder)
    return folder
  }

  /// Renames a complete and flushed backup to its final name, durably.
  func end(_ folder: URL) throws -> URL {
    let whole = url.appending(
      path: folder.lastPathComponent.dropLast(Self.partial.count), directoryHint: .isDirectory)
    guard rename(folder.path, whole.path) == 0 else { throw BackupProblem("renamed", folder.path) }
    try flushDirectory(url)
    return whole
  }

  /// Deletes old backups and returns how many. `made` and the newest others stay.
  /// - Parameter count: How many stay, `made` included.
  func keep(_ count: Int, with made: URL) throws -> Int {
    let others = try backups().filter { $0.lastPathComponent != made.lastPathComponent }
    let old = others.dropLast(max(0, count - 1))
    for backup in old {
      // Renamed first: if the removal is interrupted, the rest does not look like a complete backup.
      let name = url.appending(path: backup.lastPathComponent + Self.partial)
      guard rename(backup.path, name.path) == 0 else { throw BackupProblem("renamed", backup.path) }
      try remove(name)
    }
    return old.count
  }

  private func remove(_ folder: URL) throws {
    do { try FileManager.default.removeItem(at: folder) } catch {
      throw BackupProblem("\(folder.path) cannot be removed: \(error.localizedDescription)")
    }
  }

  private func names() throws -> [String] {
    do { return try FileManager.default.contentsOfDirectory(atPath: url.path) } catch {
      throw BackupProblem("\(url.path) cannot be listed: \(error.localizedDescription)")
    }
  }

  /// The newest backups, newest first. Damaged ones have no manifest.
  func newest(_ count: Int) throws -> [ListedBackup] {
    try backups().suffix(count).reversed().map { folder in
      do { return ListedBackup(folder: folder, manifest: try BackupManifest.read(from: folder), problem: nil) } catch {
        return ListedBackup(folder: folder, manifest: nil, problem: "\(error)")
      }
    }
  }

  /// Looks like `2026-11-23T074201.123Z`: names sort by time.
  private static func name(of time: Int64) -> String {
    Date(timeIntervalSince1970: Double(time) / 1000)
      .formatted(Date.ISO8601FormatStyle(timeSeparator: .omitted, includingFractionalSeconds: true))
  }

  private static func isName(_ text: String) -> Bool {
    let pattern = Array("0000-00-00T000000.000Z".utf8)
    return text.utf8.count == pattern.count
      && zip(text.utf8, pattern).allSatisfy { byte, form in
        form == UInt8(ascii: "0") ? (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) : byte == form
      }
  }
}

/// A complete backup in a directory of backups.
package struct ListedBackup: Sendable {
  package let folder: URL
  /// Nil if it is damaged.
  package let manifest: BackupManifest?
  /// Describes the damage.
  package let problem: String?

  /// When it was begun, as its name says: `2026-11-23T07:42:01.123Z`.
  package var date: String {
    let name = folder.lastPathComponent
    return "\(name.prefix(13)):\(name.dropFirst(13).prefix(2)):\(name.dropFirst(15))"
  }
}

extension BackupFolder {
  /// The newest backups of a directory, newest first; none if it does not exist. Throws ``BackupProblem``.
  package static func newest(_ count: Int, in directory: URL) async throws -> [ListedBackup] {
    let workers = WorkerPool(name: "backups", threads: 1, queueLimit: 1)
    defer { workers.shutdown() }
    return try await workers.run {
      FileManager.default.fileExists(atPath: directory.path) ? try BackupFolder(url: directory).newest(count) : []
    }
  }

  /// The backup that an operator names: the directory itself, or the newest backup inside it.
  static func backup(_ named: URL) throws -> URL {
    if BackupManifest.isThere(in: named) { return named }
    guard FileManager.default.fileExists(atPath: named.path) else {
      throw BackupProblem("\(named.path) does not exist; name a directory of backups, or one backup")
    }
    guard let newest = try BackupFolder(url: named).backups().last else {
      throw BackupProblem("\(named.path) has no backup; name a directory of backups, or one backup")
    }
    return newest
  }
}
