import Foundation
import Logging
import Storage

extension Madang {
  /// Gives staged files their final names, then runs `write`, which must insert their rows in one transaction. If it throws, the files are
  /// removed. Throws `.invalid` if `images` are required and a file is no image.
  /// - Parameter isWanted: Whether the client is still connected. Asked again after the files are stored: that may take long, and a client
  ///   that disconnected may have sent everything again.
  func keeping<T: Sendable>(
    _ staged: [StagedFile], in folder: FileFolder, images: Bool, isWanted: @Sendable () async -> Bool = { true },
    as principal: Principal, _ write: ([StoredFile]) async throws -> T
  ) async throws -> T {
    guard !images || staged.allSatisfy(\.type.isImage) else {
      throw Failure(.invalid, "image: the file is not an image")
    }
    // In read-only mode no file is stored, not even for a moment.
    if !staged.isEmpty, try await readOnlyMode() != nil { throw StorageError(.writesStopped, "read-only mode") }
    if images, !staged.isEmpty, settings.files.perAccount > 0 {
      try await addUpFiles(
        of: try await read(as: principal) { [self] in try uncountedPictures(of: $1.id, $0) })
    }
    var stored: [StoredFile] = []
    do {
      for file in staged { stored.append(try await files.keep(file, in: folder)) }
      guard await isWanted() else { throw CancellationError() }
      return try await write(stored)
    } catch let error as StorageError where error.code == .outcomeUnknown {
      // The transaction may have committed, so the files stay; the sweep removes files without rows.
      throw error
    } catch {
      await files.remove(stored.map(\.path))
      throw error
    }
  }

  /// ``keeping(_:in:images:isWanted:as:_:)`` with pictures and one write.
  func keepingPictures<T: Sendable>(
    _ staged: [StagedFile], in folder: FileFolder, as principal: Principal,
    _ body: @escaping @Sendable (Transaction, Caller, [StoredFile]) throws -> T
  ) async throws -> T {
    try await keeping(staged, in: folder, images: true, as: principal) { stored in
      try await write(as: principal) { try body($0, $1, stored) }
    }
  }

  /// The file at a path if the caller may see it. Every signed-in account sees pictures; only readers of a room see the files of its chats.
  /// Throws `.notFound`.
  package func file(folder: String, name: String, as principal: Principal) async throws -> StoredFile {
    let path = "\(folder)/\(name)"
    try FileStore.requirePath(path)
    guard let folder = FileFolder(rawValue: folder) else { throw Failure(.notFound, "no such file") }
    if name == FileStore.defaultPicture, folder.hasDefaultPicture {
      let bytes = FileStore.defaultPictureBytes
      return StoredFile(path: path, name: nil, type: .png, size: bytes.count, sha256: "default")
    }
    return try await read(as: principal) { transaction, caller in
      guard let (file, room) = try transaction.file(shownPath: path) else {
        throw Failure(.notFound, "no such file")
      }
      if let room { try transaction.requireReader(caller.id, ofRoom: room) }
      return file
    }
  }

  /// Moves files without a row to the trash: files that a crash left between rename and commit, or files of another database than the one
  /// that the server was started with. Empties the trash after ``FileSettings/trashDays``.
  /// - Parameter age: Younger files are left alone, because their request may still be running. In milliseconds.
  package func sweepFiles(olderThan age: Int64) async throws {
    let before = Date(timeIntervalSince1970: Double(Clock.systemTime() - age) / 1000)
    for folder in FileFolder.allCases {
      try await files.home.forEachPage(of: folder, changedBefore: before, page: settings.filePage) { page in
        // Reads miss rows whose COMMIT is stalled, and a database that was cut off returns old rows. Writes fail in both cases, and so does
        // a ping.
        try await database.ping()
        let known = try await database.read { try $0.paths(among: page) }
        let orphans = page.filter { !known.contains($0) }
        guard !orphans.isEmpty else { return }
        logger.notice("moving files without a row to the trash", metadata: ["count": "\(orphans.count)"])
        try await files.moveToTrash(orphans)
      }
    }
    try await files.emptyTrash(after: settings.files.trashDays, page: settings.filePage)
  }

  /// Removes local uploads that were interrupted.
  /// - Parameter age: Younger uploads are left alone, because their request may still be running. In milliseconds.
  package func removeUploads(olderThan age: Int64) async throws {
    let before = Date(timeIntervalSince1970: Double(Clock.systemTime() - age) / 1000)
    try await files.removeUploads(before: before, page: settings.filePage)
  }

  /// Removes retired files that are due: files of deleted rooms, and pictures that were replaced some time ago. They do not go to the
  /// trash, because their owners deleted them and this database records it.
  package func removeRetiredFiles() async throws {
    while true {
      let due = try await database.write { [now = clock.now, page = settings.filePage] in
        // Rows of files are deleted first, so that no row names a missing file. The note that a file is retired is deleted last, so that a
        // crash repeats the removal.
        let paths = try $0.retiredFiles(dueBy: now, limit: page)
        try $0.deleteFiles(paths)
        return paths
      }
      guard !due.isEmpty else { return }
      let removed = await files.remove(due)
      // Files that cannot be removed keep their notes, and the next run tries again.
      guard !removed.isEmpty else { throw FilesStay(count: due.count) }
      try await database.write { try $0.forgetRetiredFiles(removed) }
    }
  }
}

/// Retired files could not be removed.
struct FilesStay: Error {
  let count: Int
}
