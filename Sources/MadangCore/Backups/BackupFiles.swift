import Foundation
import Storage
import Synchronization

/// A row of a backup's table `files`.
struct FileEntry: Sendable {
  let path: String
  let size: Int
  let sha256: String
}

extension BackupManifest {
  /// Calls `body` with each page of files that the backup lists. Throws ``BackupProblem``.
  func forEachFilePage(
    in folder: URL, _ workers: WorkerPool, _ body: ([FileEntry]) async throws -> Void
  ) async throws {
    guard let table = tables.first(where: { $0.name == "files" }) else { return }
    let names = table.columns.map(\.name)
    guard let path = names.firstIndex(of: "path"), let size = names.firstIndex(of: "size"),
      let sha256 = names.firstIndex(of: "sha256")
    else { throw BackupProblem("\(folder.path): the table files has no path, size or sha256") }
    let reader = try TableReader(table, in: folder)
    while case let rows = try await workers.run({ try reader.next(500) }), !rows.isEmpty {
      try await body(
        try rows.map { row in
          guard let name = String(sqlValue: row[path]), let size = Int(sqlValue: row[size]), size > 0,
            let sha256 = String(sqlValue: row[sha256])
          else { throw BackupProblem("\(folder.path): a row of the table files has no file path") }
          return FileEntry(path: name, size: size, sha256: sha256)
        })
    }
  }
}

/// Calls `body` for all elements, up to `atMost` at a time. Throws the first error after all started calls have ended.
func concurrently<Element: Sendable>(
  _ elements: [Element], atMost: Int, _ body: @escaping @Sendable (Element) async throws -> Void
) async throws {
  try await withThrowingTaskGroup(of: Void.self) { group in
    var waiting = elements.makeIterator()
    for _ in 0..<atMost {
      if let element = waiting.next() { group.addTask { try await body(element) } }
    }
    while try await group.next() != nil {
      if let element = waiting.next() { group.addTask { try await body(element) } }
    }
  }
}

/// Copies files from their storage into a backup, or hard-links them to the previous backup: a stored file never changes.
struct BackupFiles: Sendable {
  /// Files that are copied at the same time.
  static let parallelCopies = 8
  /// Files that are flushed together, unless they are large.
  static let flushedTogether = 32

  let home: any FileHome
  /// The backup in progress.
  let folder: URL
  /// The previous backup.
  let previous: URL?
  let pace: Pace
  let workers: WorkerPool

  enum Outcome: Sendable {
    /// Linked to the previous backup. `problem` describes what is wrong with the file in storage, if anything is.
    case linked(problem: String?)
    case copied
    /// The file is missing or differs from its row. The text says how.
    case absent(String)
  }

  func prepare() throws {
    try makePrivateDirectory(folder.appending(path: "files"))
    for name in FileFolder.allCases { try makePrivateDirectory(folder.appending(path: "files/\(name.rawValue)")) }
  }

  /// Flushes the directories, so that the names of the last files are durable.
  func flush() throws {
    for name in FileFolder.allCases { try flushDirectory(folder.appending(path: "files/\(name.rawValue)")) }
    try flushDirectory(folder.appending(path: "files"))
  }

  /// Copies or links files, several at a time, and flushes them together. Throws ``BackupProblem`` if the backup cannot be written or the
  /// storage cannot be read.
  func bring(
    _ files: [FileEntry], _ body: @escaping @Sendable (FileEntry, Outcome) async throws -> Void
  ) async throws {
    var rest = files[...]
    while !rest.isEmpty {
      let began = ContinuousClock.now
      let part = firstPart(of: rest)
      let copied = Mutex<[URL]>([])
      try await concurrently(Array(part), atMost: Self.parallelCopies) { file in
        let outcome = try await bring(file)
        if case .copied = outcome { copied.withLock { $0.append(target(of: file)) } }
        try await body(file, outcome)
      }
      let written = copied.withLock(\.self)
      try await workers.run { try OutputFile.flush(written) }
      rest = rest[part.endIndex...]
      if pace == .gentle { try await Task.sleep(for: ContinuousClock.now - began) }
    }
  }

  /// The first file and the following files that are flushed together with it.
  private func firstPart(of files: ArraySlice<FileEntry>) -> ArraySlice<FileEntry> {
    var bytes = 0
    let fitting = files.prefix(Self.flushedTogether).prefix { file in
      bytes += file.size
      return bytes <= OutputFile.flushInterval
    }
    return files.prefix(max(1, fitting.count))
  }

  private func target(of file: FileEntry) -> URL { folder.appending(path: "files/\(file.path)") }

  private func bring(_ file: FileEntry) async throws -> Outcome {
    let target = target(of: file)
    if try await workers.run({ link(file, to: target) }) {
      do { return .linked(problem: try await home.isKnownMissing(file.path) ? "is missing" : nil) } catch {
        return .linked(problem: "cannot be checked (\(error))")
      }
    }
    do {
      let digest =
        switch try await home.content(of: file.path, range: 0...file.size - 1) {
        case .file(let url):
          try await workers.run { try OutputFile.copy(url.resolvingSymlinksInPath(), to: target, isFlushed: false) }
        case .pieces(let pieces): try await write(pieces, to: target)
        }
      if digest.isOf(size: file.size, sha256: file.sha256) { return .copied }
      try? await workers.run { try FileManager.default.removeItem(at: target) }
      return .absent("is damaged")
    } catch {
      try? await workers.run { try FileManager.default.removeItem(at: target) }
      // One lost file must not prevent the backup of all others.
      switch try await home.size(of: file.path) {
      case nil: return .absent("is missing")
      // A write error ends the backup.
      case file.size:
        guard await canBeRead(file) else { return .absent("cannot be read") }
        throw error
      case .some: return .absent("is damaged")
      }
    }
  }

  /// Whether a file in a local directory can be read to its end. True for files in other storage.
  private func canBeRead(_ file: FileEntry) async -> Bool {
    guard case .file(let url)? = try? await home.content(of: file.path, range: 0...file.size - 1) else { return true }
    return (try? await workers.run { _ = try Digest(of: url.resolvingSymlinksInPath()) }) != nil
  }

  /// False if there is no previous backup, or if the file system does not support hard links.
  private func link(_ file: FileEntry, to target: URL) -> Bool {
    guard let former = previous?.appending(path: "files/\(file.path)") else { return false }
    var status = stat()
    guard lstat(former.path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, Int(status.st_size) == file.size else {
      return false
    }
    return Foundation.link(former.path, target.path) == 0
  }

  private func write(
    _ pieces: any AsyncSequence<[UInt8], any Error> & Sendable, to target: URL
  ) async throws -> Digest {
    var file = try OutputFile(target)
    for try await piece in pieces { try file.write(piece) }
    return try file.finish(isFlushed: false)
  }
}
