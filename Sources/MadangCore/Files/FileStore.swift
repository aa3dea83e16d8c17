import Foundation
import Storage

/// Where a stored file belongs; the first part of its path.
package enum FileFolder: String, CaseIterable, Sendable {
  case profiles, workspaceCoverImages, channelCoverImages, channelChats, dmChats

  /// Whether only those who may read a room see the folder's files.
  package var isPrivate: Bool { self == .channelChats || self == .dmChats }

  /// Whether the folder has a built-in picture, for what has none of its own.
  package var hasDefaultPicture: Bool { self == .workspaceCoverImages || self == .channelCoverImages }
}

/// Files under names the server makes: `<folder>/<name>.<ext>`, in a ``FileHome``.
///
/// A file is received to `<root>/uploads/` on this machine, flushed, and put into the home before the row that names it
/// commits; what a crash leaves without a row goes to the trash later (``Madang/sweepFiles(olderThan:)``). Blocking calls
/// run on threads of the store's own.
package struct FileStore: Sendable {
  package let home: any FileHome
  private let uploads: URL
  private let workers: WorkerPool
  private let ids: IDSource
  private let clock: Clock

  /// - Parameters:
  ///   - root: A directory of this machine.
  ///   - home: Where files are kept; nil for `root`.
  package init(root: URL, home: (any FileHome)? = nil, workers: WorkerPool, ids: IDSource, clock: Clock) {
    self.home = home ?? DirectoryHome(root: root, workers: workers)
    uploads = root.appending(path: "uploads")
    self.workers = workers
    self.ids = ids
    self.clock = clock
  }

  /// Makes what all else needs. Throws if the directory or the home takes no files.
  package func prepare() async throws {
    try await workers.run { try FileManager.default.createDirectory(at: uploads, withIntermediateDirectories: true) }
    try await home.prepare()
  }

  /// Makes the directory for what arrives again under a running server, from which somebody may have moved it away. Only that: the
  /// directory of all files may be about to be put back.
  private func makeUploads() throws {
    guard mkdir(uploads.path, 0o700) != 0, errno != EEXIST else { return }
    throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
  }

  /// The name of the built-in picture of a workspace or channel without one.
  package static let defaultPicture = "default.png"
  package static var defaultPictureBytes: [UInt8] { PackageResources.default_png }

  /// Starts receiving a file of at most `limit` bytes.
  package func receive(limit: Int) async throws -> Upload {
    let url = uploads.appending(path: ids.secretName())
    return try await workers.run {
      try makeUploads()
      return try Upload(writingTo: url, limit: limit)
    }
  }

  /// Adds bytes to a file being received. Throws `Failure(.invalid)` beyond its limit.
  package func append(_ bytes: [UInt8], to upload: Upload) async throws {
    try await workers.run { try upload.append(bytes) }
  }

  /// The same with all bytes of a file of this machine.
  func append(contentsOf url: URL, to upload: Upload) async throws {
    try await workers.run {
      let source = try InputFile(url)
      while case let bytes = try source.next(), !bytes.isEmpty { try upload.append(bytes) }
    }
  }

  /// Ends a file being received; nil if it had no byte. Throws `Failure(.invalid)` if its type is unknown.
  /// - Parameter fileName: As the client sent it.
  package func finish(_ upload: Upload, named fileName: String = "") async throws -> StagedFile? {
    try await workers.run { try upload.finish(named: fileName) }
  }

  /// Removes what was received, finished or not.
  package func discard(_ uploads: [Upload]) async {
    // Of a task of its own: the caller's may be cancelled, which must not leave them behind.
    await Task { try? await workers.run { for upload in uploads { upload.discard() } } }.value
  }

  /// Gives a staged file its final name, durably. The caller inserts its row, or removes it again.
  func keep(_ file: StagedFile, in folder: FileFolder) async throws -> StoredFile {
    let unique = ids.secretName()
    // What stands before the last underscore is the name that clients show: a document has its own there (``StoredFile/shownPath``).
    let base = file.name == nil ? "\(clock.now)_\(unique)" : unique
    let path = "\(folder.rawValue)/\(base).\(file.type.fileExtension)"
    try await home.put(file, as: path)
    return StoredFile(path: path, name: file.name, type: file.type, size: file.size, sha256: file.sha256)
  }

  /// Bytes of a stored file, at a range within its size. Throws if they cannot be had, as far as that is known at once.
  package func content(of file: StoredFile, range: ClosedRange<Int>) async throws -> FileContent {
    try await home.content(of: file.path, range: range)
  }

  /// All bytes of a stored file that has any. Throws if they cannot be had.
  func bytes(of file: StoredFile) async throws -> [UInt8] {
    switch try await content(of: file, range: 0...file.size - 1) {
    case .file(let url):
      return try await workers.run {
        let source = try InputFile(url)
        var bytes: [UInt8] = []
        while case let next = try source.next(), !next.isEmpty { bytes += next }
        return bytes
      }
    case .pieces(let pieces):
      var bytes: [UInt8] = []
      for try await piece in pieces { bytes += piece }
      return bytes
    }
  }

  /// The id of the installation whose files these are; nil if none was set.
  func installationID() async throws -> String? { try await home.installationID() }

  func setInstallationID(_ id: String) async throws { try await home.setInstallationID(id) }

  /// Whether there is any file but those the program brings itself, and those that systems hide.
  func hasUploads() async throws -> Bool { try await home.hasUploads() }

  func holdsAny(of paths: [String]) async throws -> Bool { try await home.holdsAny(of: paths) }

  /// Throws if the disk takes no files, or the home cannot be used.
  package func ping() async throws {
    // Not one of `ids`: whoever asks whether the server is ready changes nothing that comes later.
    let probe = uploads.appending(path: "probe-\(UUID().uuidString)")
    try await workers.run {
      try makeUploads()
      defer { try? FileManager.default.removeItem(at: probe) }
      try Data([0]).write(to: probe)
    }
    try await home.ping()
  }

  /// Removes files, and answers which of them are gone now.
  @discardableResult
  func remove(_ paths: [String]) async -> [String] { await home.remove(paths) }

  /// Removes what was received, and last written to, before `date`: its request was cut off.
  func removeUploads(before date: Date, page: Int) async throws {
    try await workers.forEachPage(of: uploads, changedBefore: date, page: page) { names in
      try await workers.run {
        for name in names { try? FileManager.default.removeItem(at: uploads.appending(path: name)) }
      }
    }
  }

  /// Moves files to today's folder of the trash. Today is the injected clock's, in UTC, and a day's folder goes as a whole:
  /// no file times are needed.
  func moveToTrash(_ paths: [String]) async throws { try await home.moveToTrash(paths, day: day(clock.now)) }

  /// Removes what came to the trash more than `days` whole days ago.
  func emptyTrash(after days: Int, page: Int) async throws {
    try await home.emptyTrash(before: day(clock.now - Int64(days) * 86_400_000), page: page)
  }
}

/// A file as its row describes it; `path` is `<folder>/<name>.<ext>`.
package struct StoredFile: Sendable {
  package let path: String
  /// Nil for images, and for documents of earlier versions.
  let name: DocumentName?
  package let type: MediaType
  package let size: Int
  package let sha256: String
}

/// The UTC day of a time in milliseconds since 1970, like `2026-11-23`.
private func day(_ time: Int64) -> String {
  Date(timeIntervalSince1970: Double(time) / 1000).formatted(.iso8601.year().month().day())
}
