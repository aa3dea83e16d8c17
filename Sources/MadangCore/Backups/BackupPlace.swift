import Foundation

/// The directory of the backups that a server makes by itself, which it recognises: without its disk, another directory is in its place, or
/// none.
///
/// The directory's lock file contains a random name; the data directory remembers it, together with the path. Calls block.
package struct BackupPlace: Sendable {
  package let directory: URL
  /// The file that remembers it, in the data directory.
  package let memory: URL

  package init(_ directory: URL, data: URL) {
    self.directory = directory.standardizedFileURL
    memory = data.appending(path: "backup-directory")
  }

  private struct Remembered: Codable {
    let directory: String
    let name: String
  }

  private var mark: URL { directory.appending(path: BackupFolder.lockName) }

  /// What is wrong with the directory; nil if it is the remembered one, or none is remembered at this path.
  package var problem: BackupPlaceProblem? {
    guard let known = remembered else { return nil }
    guard FileManager.default.fileExists(atPath: directory.path) else {
      return BackupPlaceProblem(message: "\(directory.path), which has the backups of this server, is gone", cure: cure)
    }
    guard name != known.name else { return nil }
    return BackupPlaceProblem(
      message: "\(directory.path) is not the directory that has the earlier backups of this server", cure: cure)
  }

  private var cure: String {
    "mount its disk, or move the directory back; for backups in a new directory, remove \(memory.path) first"
  }

  /// Makes the directory, but not its parent, unless one is remembered here, and remembers it. Throws ``BackupProblem``.
  package func prepare() throws {
    if let problem { throw BackupProblem("\(problem.message): \(problem.cure)") }
    guard remembered == nil else { return }
    if !FileManager.default.fileExists(atPath: directory.path) {
      let parent = directory.deletingLastPathComponent().path
      guard FileManager.default.fileExists(atPath: parent) else {
        throw BackupProblem(
          "\(parent) does not exist, so \(directory.path) is not made: mount the disk for backups, or make the directory "
            + "for this server's user")
      }
      try makePrivateDirectory(directory)
    }
    try requireOwnDirectory(directory)
    do {
      if name.isEmpty { try write(name: IDSource().bytes(16).hex) }
      try JSONEncoder().encode(Remembered(directory: directory.path, name: name))
        .write(to: memory, options: .atomic)
    } catch let problem as BackupProblem { throw problem } catch {
      throw BackupProblem("\(memory.path) cannot be written: \(error.localizedDescription)")
    }
  }

  /// Of the directory; empty for none.
  private var name: String {
    guard let file = try? FileHandle(forReadingFrom: mark) else { return "" }
    defer { try? file.close() }
    return String(decoding: (try? file.read(upToCount: 64)) ?? Data(), as: UTF8.self)
  }

  /// Into the same file: another process may have it locked.
  private func write(name: String) throws {
    let descriptor = open(mark.path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw BackupProblem("written", mark.path) }
    let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    try file.write(contentsOf: Data(name.utf8))
    try file.synchronize()
  }

  /// Nil if none is remembered, or one at another path.
  private var remembered: Remembered? {
    guard let data = try? Data(contentsOf: memory), data.count < 10_000,
      let known = try? JSONDecoder().decode(Remembered.self, from: data), known.directory == directory.path
    else { return nil }
    return known
  }
}

/// Why a server makes no backup in its directory of backups.
package struct BackupPlaceProblem: Sendable {
  package let message: String
  package let cure: String
}
