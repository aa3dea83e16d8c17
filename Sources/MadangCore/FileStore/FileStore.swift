import Foundation
import Storage

/// The folder of a stored file: the first part of its path.
package enum FileFolder: String, CaseIterable, Sendable {
  case profiles, workspaceCoverImages, channelCoverImages, channelChats, dmChats

  /// Whether the folder's files are visible only to readers of a room.
  package var isPrivate: Bool { self == .channelChats || self == .dmChats }

  /// Whether the folder has a built-in picture for objects without a picture.
  package var hasDefaultPicture: Bool { self == .workspaceCoverImages || self == .channelCoverImages }
}

/// Stores files under generated names, `<folder>/<name>.<ext>`, in a ``FileHome``.
///
/// A file is received into `<root>/uploads/` on this machine, flushed, and put into its home before the row that names it commits. Files
/// that a crash leaves without a row are moved to the trash later (``Madang/sweepFiles(olderThan:)``). Blocking calls run on the store's
/// own threads.
package struct FileStore: Sendable {
  package let home: any FileHome
  private let uploads: URL
  private let workers: WorkerPool
  private let ids: IDSource
  private let clock: Clock

  /// - Parameters:
  ///   - root: A local directory.
  ///   - home: The storage of files; nil for `root`.
  package init(root: URL, home: (any FileHome)? = nil, workers: WorkerPool, ids: IDSource, clock: Clock) {
    self.home = home ?? DirectoryHome(root: root, workers: workers)
    uploads = root.appending(path: "uploads")
    self.workers = workers
    self.ids = ids
    self.clock = clock
  }

  /// Prepares directory and home. Throws if one of them cannot be written to.
  package func prepare() async throws {
    try await workers.run { try FileManager.default.createDirectory(at: uploads, withIntermediateDirectories: true) }
    try await home.prepare()
  }

  /// Creates the directory of uploads if it was moved away while the server runs. Creates no parent: an operator may be about to move the
  /// directory of all files back.
  private func makeUploads() throws {
    guard mkdir(uploads.path, 0o700) != 0, errno != EEXIST else { return }
    throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
  }

  /// The name of the built-in picture of workspaces and channels.
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

  /// Appends bytes to an upload. Throws `Failure(.invalid)` beyond its limit.
  package func append(_ bytes: [UInt8], to upload: Upload) async throws {
    try await workers.run { try upload.append(bytes) }
  }

  /// Appends all bytes of a local file to an upload.
  func append(contentsOf url: URL, to upload: Upload) async throws {
    try await workers.run {
      let source = try InputFile(url)
      while case let bytes = try source.next(), !bytes.isEmpty { try upload.append(bytes) }
    }
  }

  /// Ends an upload; nil if it is empty. Throws `Failure(.invalid)` if its type is unknown.
  /// - Parameter fileName: The name that the client sent.
  package func finish(_ upload: Upload, named fileName: String = "") async throws -> StagedFile? {
    try await workers.run { try upload.finish(named: fileName) }
  }

  /// Removes uploads, finished or not.
  package func discard(_ uploads: [Upload]) async {
    // In a separate task: if the caller's task is cancelled, the files must still be removed.
    await Task { try? await workers.run { for upload in uploads { upload.discard() } } }.value
  }

  /// Gives a staged file its final name, durably. The caller then inserts its row or removes the file.
  func keep(_ file: StagedFile, in folder: FileFolder) async throws -> StoredFile {
    let unique = ids.secretName()
    // Clients show the part before the last underscore as the name. A document has its own name there (``StoredFile/shownPath``).
    let base = file.name == nil ? "\(clock.now)_\(unique)" : unique
    let path = "\(folder.rawValue)/\(base).\(file.type.fileExtension)"
    try await home.put(file, as: path)
    return StoredFile(path: path, name: file.name, type: file.type, size: file.size, sha256: file.sha256)
  }

  /// Bytes of a stored file in a range within its size. Throws if they cannot be read, as far as that is known at once.
  package func content(of file: StoredFile, range: ClosedRange<Int>) async throws -> FileContent {
    try await home.content(of: file.path, range: range)
  }

  /// All bytes of a stored file that is not empty. Throws if they cannot be read.
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

  /// The id of the installation that owns these files; nil if none was set.
  func installationID() async throws -> String? { try await home.installationID() }

  func setInstallationID(_ id: String) async throws { try await home.setInstallationID(id) }

  /// Whether any file exists other than built-in files and hidden files of operating systems.
  func hasUploads() async throws -> Bool { try await home.hasUploads() }

  func holdsAny(of paths: [String]) async throws -> Bool { try await home.holdsAny(of: paths) }

  /// Throws if the disk cannot be written to or the home cannot be used.
  package func ping() async throws {
    // Several servers may share the directory. Not from `ids`: a check is no part of a repeatable world.
    let probe = uploads.appending(path: "probe-\(UUID().uuidString)")
    try await workers.run {
      try makeUploads()
      defer { try? FileManager.default.removeItem(at: probe) }
      try Data([0]).write(to: probe)
    }
    try await home.ping()
  }

  /// Removes files, and returns the paths that no longer exist.
  @discardableResult
  func remove(_ paths: [String]) async -> [String] { await home.remove(paths) }

  /// Removes uploads that were last written before `date`: their requests were interrupted.
  func removeUploads(before date: Date, page: Int) async throws {
    try await workers.forEachPage(of: uploads, changedBefore: date, page: page) { names in
      try await workers.run {
        for name in names { try? FileManager.default.removeItem(at: uploads.appending(path: name)) }
      }
    }
  }

  /// Moves files to today's folder in the trash. The day comes from the injected clock, in UTC. A day's folder is removed as a whole, so
  /// file times are not needed.
  func moveToTrash(_ paths: [String]) async throws { try await home.moveToTrash(paths, day: day(clock.now)) }

  /// Removes files that were moved to the trash more than `days` whole days ago.
  func emptyTrash(after days: Int, page: Int) async throws {
    try await home.emptyTrash(before: day(clock.now - Int64(days) * 86_400_000), page: page)
  }
}

/// A file as its row describes it. `path` is `<folder>/<name>.<ext>`.
package struct StoredFile: Sendable {
  package let path: String
  /// Nil for images, and for documents that earlier versions stored.
  let name: DocumentName?
  package let type: MediaType
  package let size: Int
  package let sha256: String
}

/// The UTC day of a time in milliseconds since 1970, for example `2026-11-23`.
private func day(_ time: Int64) -> String {
  Date(timeIntervalSince1970: Double(time) / 1000).formatted(.iso8601.year().month().day())
}
