import Foundation
import Storage

/// Where a stored file belongs; the first part of its path.
package enum FileFolder: String, CaseIterable, Sendable {
  case profiles, workspaceCoverImages, channelCoverImages, channelChats, dmChats

  /// Whether only those who may read a room see the folder's files.
  package var isPrivate: Bool { self == .channelChats || self == .dmChats }
}

/// Files on disk under names the server makes: `<root>/<folder>/<name>.<ext>`.
///
/// A file is written to a temporary name, flushed, and renamed before the row that names it commits; what a crash
/// leaves without a row goes to the trash later (``Madang/sweepFiles(olderThan:)``). Blocking calls run on threads of the store's own.
package struct FileStore: Sendable {
  package let root: URL
  let workers: WorkerPool
  private let ids: IDSource
  let clock: Clock

  package init(root: URL, workers: WorkerPool, ids: IDSource, clock: Clock) {
    self.root = root
    self.workers = workers
    self.ids = ids
    self.clock = clock
  }

  /// Makes the folders and the built-in default pictures, which all else needs. Throws if the directory cannot be written.
  package func prepare() throws {
    for folder in FileFolder.allCases.map(\.rawValue) + [Self.temporary] {
      try FileManager.default.createDirectory(
        at: root.appending(path: folder), withIntermediateDirectories: true)
    }
    for folder in [FileFolder.workspaceCoverImages, .channelCoverImages] {
      let file = root.appending(path: folder.rawValue).appending(path: Self.defaultPicture)
      if !FileManager.default.fileExists(atPath: file.path) {
        try Data(PackageResources.default_png).write(to: file, options: .atomic)
      }
    }
  }

  /// The name of the built-in picture of a workspace or channel without one.
  package static let defaultPicture = "default.png"
  static let temporary = "uploads"

  /// Where the file of a stored path lies on disk.
  package func url(_ path: String) -> URL { root.appending(path: path) }

  /// Starts receiving a file of at most `limit` bytes.
  package func receive(limit: Int) async throws -> Upload {
    let url = root.appending(path: Self.temporary).appending(path: ids.secretName())
    return try await workers.run { try Upload(writingTo: url, limit: limit) }
  }

  /// Adds bytes to a file being received. Throws `Failure(.invalid)` beyond its limit.
  package func append(_ bytes: [UInt8], to upload: Upload) async throws {
    try await workers.run { try upload.append(bytes) }
  }

  /// Ends a file being received; nil if it had no byte. Throws `Failure(.invalid)` if its type is not taken.
  package func finish(_ upload: Upload) async throws -> StagedFile? {
    try await workers.run { try upload.finish() }
  }

  /// Removes what was received, finished or not.
  package func discard(_ uploads: [Upload]) async {
    // Of a task of its own: the caller's may be cancelled, which must not leave them behind.
    await Task { try? await workers.run { for upload in uploads { upload.discard() } } }.value
  }

  /// Gives a staged file its final name, durably. The caller inserts its row, or removes it again.
  func keep(_ file: StagedFile, in folder: FileFolder) async throws -> StoredFile {
    let name = "\(clock.now)_\(ids.secretName()).\(file.type.fileExtension)"
    let target = root.appending(path: folder.rawValue)
    try await workers.run {
      try FileManager.default.moveItem(at: file.url, to: target.appending(path: name))
      try synchronize(target, O_RDONLY | O_DIRECTORY)
    }
    return StoredFile(
      path: "\(folder.rawValue)/\(name)", type: file.type, size: file.size, sha256: file.sha256)
  }

  /// The id of the installation whose files these are; nil if none was set.
  func installationID() async throws -> String? {
    try await workers.run { [installationFile] in
      guard FileManager.default.fileExists(atPath: installationFile.path) else { return nil }
      let text = try String(contentsOf: installationFile, encoding: .utf8)
      return text.split(whereSeparator: \.isWhitespace).first.map(String.init)
    }
  }

  func setInstallationID(_ id: String) async throws {
    try await workers.run { [root, installationFile] in
      try Data((id + "\n").utf8).write(to: installationFile, options: .atomic)
      try synchronize(installationFile, O_RDONLY)
      try synchronize(root, O_RDONLY | O_DIRECTORY)
    }
  }

  private var installationFile: URL { root.appending(path: "installation") }

  /// Whether there is any file but those the program brings itself, and those that systems hide.
  func hasUploads() async throws -> Bool {
    for folder in FileFolder.allCases {
      let names = try await workers.run { [root] in
        try DirectoryNames(root.appending(path: folder.rawValue)).next(100)?.filter { !$0.hasPrefix(".") }
      }
      if names?.contains(where: { $0 != Self.defaultPicture }) ?? false { return true }
    }
    return false
  }

  func holdsAny(of paths: [String]) async throws -> Bool {
    try await workers.run { paths.contains { FileManager.default.fileExists(atPath: url($0).path) } }
  }

  /// Throws if the disk takes no files.
  package func ping() async throws {
    let probe = root.appending(path: Self.temporary).appending(path: "probe-\(ids.name(12))")
    try await workers.run {
      defer { try? FileManager.default.removeItem(at: probe) }
      try Data([0]).write(to: probe)
    }
  }

  /// Removes files, and answers which of them are gone now.
  @discardableResult
  func remove(_ paths: [String]) async -> [String] {
    await Task {
      let gone = try? await workers.run { paths.filter { unlink(url($0).path) == 0 || errno == ENOENT } }
      return gone ?? []
    }.value
  }

  /// Hands the paths of a folder's files that were last changed before `date` to `body`, `page` at a time.
  func forEachPage(
    of folder: String, changedBefore date: Date, page: Int, _ body: ([String]) async throws -> Void
  ) async throws {
    let directory = root.appending(path: folder)
    let names = try await workers.run { try DirectoryNames(directory) }
    while let some = try await workers.run({ names.next(page) }) {
      let old = try await workers.run {
        some.filter { name in
          let file = directory.appending(path: name)
          let changed = try? file.resourceValues(forKeys: [.contentModificationDateKey]).contentModificationDate
          return name != Self.defaultPicture && (changed ?? date) < date
        }
      }
      if !old.isEmpty { try await body(old.map { "\(folder)/\($0)" }) }
    }
  }
}

/// A file as its row describes it; `path` is `<folder>/<name>.<ext>`.
package struct StoredFile: Sendable {
  package let path: String
  package let type: MediaType
  package let size: Int
  package let sha256: String
}

/// Flushes a file or directory to disk.
private func synchronize(_ url: URL, _ flags: Int32) throws {
  let descriptor = open(url.path, flags)
  guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
  defer { close(descriptor) }
  guard fsync(descriptor) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}
