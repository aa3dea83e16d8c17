import Foundation
import Storage

/// Stores files on this machine as `<root>/<folder>/<name>.<ext>`. Blocking calls run on the store's threads.
package struct DirectoryHome: FileHome {
  let root: URL
  let workers: WorkerPool

  package init(root: URL, workers: WorkerPool) {
    self.root = root
    self.workers = workers
  }

  package func prepare() async throws {
    try await workers.run {
      for folder in FileFolder.allCases {
        let directory = root.appending(path: folder.rawValue)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let picture = directory.appending(path: FileStore.defaultPicture)
        if folder.hasDefaultPicture, !FileManager.default.fileExists(atPath: picture.path) {
          try Data(FileStore.defaultPictureBytes).write(to: picture, options: .atomic)
        }
      }
    }
  }

  /// Renames the file: staged files are on the same disk.
  package func put(_ file: StagedFile, as path: String) async throws {
    let target = try url(path)
    try await workers.run {
      try FileManager.default.moveItem(at: file.url, to: target)
      try synchronize(target.deletingLastPathComponent(), O_RDONLY | O_DIRECTORY)
    }
  }

  package func content(of path: String, range: ClosedRange<Int>) throws -> FileContent { .file(try url(path)) }

  package func size(of path: String) async throws -> Int? {
    guard let file = try? url(path) else { return nil }
    return try await workers.run {
      var status = stat()
      if stat(file.path, &status) == 0 { return Int(status.st_size) }
      guard errno == ENOENT else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
      return nil
    }
  }

  package func isKnownMissing(_ path: String) async throws -> Bool { try await size(of: path) == nil }

  package func remove(_ paths: [String]) async -> [String] {
    // In a separate task: if the caller's task is cancelled, the files must still be removed.
    await Task {
      let gone = try? await workers.run {
        paths.filter { path in
          guard let file = try? url(path) else { return true }
          return unlink(file.path) == 0 || errno == ENOENT
        }
      }
      return gone ?? []
    }.value
  }

  package func forEachPage(
    of folder: FileFolder, changedBefore date: Date, page: Int, _ body: ([String]) async throws -> Void
  ) async throws {
    let directory = root.appending(path: folder.rawValue)
    // A missing directory contains no files. Only servers create directories.
    guard try await workers.run({ FileManager.default.fileExists(atPath: directory.path) }) else { return }
    try await workers.forEachPage(of: directory, changedBefore: date, page: page) { names in
      let paths = names.filter { $0 != FileStore.defaultPicture }.map { "\(folder.rawValue)/\($0)" }
        .filter(FileStore.isPath)
      if !paths.isEmpty { try await body(paths) }
    }
  }

  package func moveToTrash(_ paths: [String], day: String) async throws {
    let target = root.appending(path: trashFolder).appending(path: day)
    try await workers.run {
      for folder in Set(paths.map { $0.prefix { $0 != "/" } }) {
        try FileManager.default.createDirectory(
          at: target.appending(path: String(folder)), withIntermediateDirectories: true)
      }
      var problem: POSIXError?
      for path in paths {
        guard rename(try url(path).path, target.appending(path: path).path) != 0, errno != ENOENT else { continue }
        problem = POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
      }
      if let problem { throw problem }
    }
  }

  package func emptyTrash(before day: String, page: Int) async throws {
    let trash = root.appending(path: trashFolder)
    guard let days = try? await workers.run({ try DirectoryNames(trash) }) else { return }
    while let some = try await workers.run({ days.next(page) }) {
      for old in some where isDay(old) && old < day { try await remove(trash.appending(path: old), page: page) }
    }
  }

  package func trashSize(upTo limit: Int) async throws -> (files: Int, bytes: Int) {
    let (trash, page) = (root.appending(path: trashFolder), 500)
    var (files, bytes) = (0, 0)
    guard let days = try? await workers.run({ try DirectoryNames(trash) }) else { return (0, 0) }
    while let some = try await workers.run({ days.next(page) }) {
      for folder in some.filter(isDay).flatMap({ day in FileFolder.allCases.map { "\(day)/\($0.rawValue)" } }) {
        let folder = trash.appending(path: folder)
        guard let names = try? await workers.run({ try DirectoryNames(folder) }) else { continue }
        while files < limit, let some = try await workers.run({ names.next(page) }) {
          bytes += try await workers.run {
            some.reduce(0) { sum, name in
              var status = stat()
              return stat(folder.appending(path: name).path, &status) == 0 ? sum + Int(status.st_size) : sum
            }
          }
          files += some.count
        }
      }
    }
    return (files, bytes)
  }

  /// Removes a directory with its files, page by page, because other work waits for the threads.
  private func remove(_ directory: URL, page: Int) async throws {
    for folder in FileFolder.allCases.map({ directory.appending(path: $0.rawValue) }) {
      guard let names = try? await workers.run({ try DirectoryNames(folder) }) else { continue }
      while let some = try await workers.run({ names.next(page) }) {
        try await workers.run {
          for name in some { try FileManager.default.removeItem(at: folder.appending(path: name)) }
        }
      }
    }
    try await workers.run { try FileManager.default.removeItem(at: directory) }
  }

  package func installationID() async throws -> String? {
    try await workers.run { [installationFile] in
      guard FileManager.default.fileExists(atPath: installationFile.path) else { return nil }
      let text = try String(contentsOf: installationFile, encoding: .utf8)
      return text.split(whereSeparator: \.isWhitespace).first.map(String.init)
    }
  }

  package func setInstallationID(_ id: String) async throws {
    try await workers.run { [root, installationFile] in
      try Data((id + "\n").utf8).write(to: installationFile, options: .atomic)
      try synchronize(installationFile, O_RDONLY)
      try synchronize(root, O_RDONLY | O_DIRECTORY)
    }
  }

  private var installationFile: URL { root.appending(path: installationName) }

  package func hasUploads() async throws -> Bool {
    for folder in FileFolder.allCases {
      let names = try await workers.run { [root] in
        let directory = root.appending(path: folder.rawValue)
        // A missing directory contains no files. Only servers create directories.
        guard FileManager.default.fileExists(atPath: directory.path) else { return [String]?.none }
        return try DirectoryNames(directory).next(100)?.filter { !$0.hasPrefix(".") }
      }
      if names?.contains(where: { $0 != FileStore.defaultPicture }) ?? false { return true }
    }
    return false
  }

  package func holdsAny(of paths: [String]) async throws -> Bool {
    try await workers.run {
      paths.contains { path in
        guard let file = try? url(path) else { return false }
        return FileManager.default.fileExists(atPath: file.path)
      }
    }
  }

  /// Only the root is checked: the store checks the disk itself where files are staged, which is the same disk.
  package func ping() async throws {
    try await workers.run {
      for folder in FileFolder.allCases where access(root.appending(path: folder.rawValue).path, W_OK) != 0 {
        throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
      }
    }
  }

  /// Throws `Failure(.notFound)` unless the text is the path of a stored file.
  private func url(_ path: String) throws -> URL {
    try FileStore.requirePath(path)
    return root.appending(path: path)
  }
}

extension WorkerPool {
  /// Calls `body` with the names in a directory that were last changed before `date`, at most `page` at a time.
  func forEachPage(
    of directory: URL, changedBefore date: Date, page: Int, _ body: ([String]) async throws -> Void
  ) async throws {
    let names = try await run { try DirectoryNames(directory) }
    while let some = try await run({ names.next(page) }) {
      let old = try await run {
        some.filter { name in
          let file = directory.appending(path: name)
          let changed = try? file.resourceValues(forKeys: [.contentModificationDateKey]).contentModificationDate
          return (changed ?? date) < date
        }
      }
      if !old.isEmpty { try await body(old) }
    }
  }
}

/// Flushes a file or directory to disk.
private func synchronize(_ url: URL, _ flags: Int32) throws {
  let descriptor = open(url.path, flags)
  guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
  defer { close(descriptor) }
  guard fsync(descriptor) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}
