import Foundation
import Logging
import MadangCore
import Storage

/// Files in an S3 bucket, under `<prefix><folder>/<name>.<ext>`.
///
/// A file exists completely or not at all, as S3 guarantees. Memory does not grow with a file's size.
package struct BucketHome: FileHome {
  /// How many calls for the files of a page run in parallel.
  private static let parallelCalls = 8

  let client: S3Client
  private let prefix: String
  private let workers: WorkerPool
  private let logger: Logger

  /// - Parameter workers: Threads that read staged files.
  package init(_ client: S3Client, prefix: String, workers: WorkerPool, logger: Logger) {
    self.client = client
    self.prefix = prefix
    self.workers = workers
    self.logger = logger
  }

  /// Stores the default pictures and lists the bucket, so that missing permissions show at once. Throws ``SetupError``.
  package func prepare() async throws {
    try await starting {
      for folder in FileFolder.allCases where folder.hasDefaultPicture {
        try await client.put(
          FileStore.defaultPictureBytes, type: MediaType.png.rawValue, as: key(Self.defaultPicture(of: folder)))
      }
      _ = try await client.list(prefix, isDeep: false, after: nil, limit: 1)
    }
  }

  package func put(_ file: StagedFile, as path: String) async throws {
    let (key, type) = (try fileKey(path), file.type.rawValue)
    guard file.size > S3Client.partSize else {
      let whole = FilePart(of: file.url, offset: 0, size: file.size, sha256: file.sha256, workers: workers)
      return try await client.put(whole, type: type, as: key)
    }
    let id = try await client.beginParts(key, type: type)
    do {
      var tags: [String] = []
      for offset in stride(from: 0, to: file.size, by: S3Client.partSize) {
        let part = try await FilePart(
          of: file.url, offset: offset, size: min(S3Client.partSize, file.size - offset), workers: workers)
        tags.append(try await client.put(part, number: tags.count + 1, of: key, id: id))
      }
      try await client.endParts(key, id: id, tags: tags, size: file.size)
    } catch {
      // In a separate task, because the caller's may be cancelled, and remaining parts cost storage.
      Task { try? await client.dropParts(key, id: id) }
      throw error
    }
  }

  package func content(of path: String, range: ClosedRange<Int>) async throws -> FileContent {
    .pieces(try await BucketPieces(of: fileKey(path), range: range, client: client))
  }

  package func size(of path: String) async throws -> Int? {
    guard let key = try? fileKey(path) else { return nil }
    do {
      guard let size = try await client.size(of: key) else {
        throw S3Error(call: "HEAD", cause: .unusable("no Content-Length"))
      }
      return size
    } catch let error as S3Error where error.isMissing { return nil }
  }

  package func isKnownMissing(_ path: String) -> Bool { false }

  package func remove(_ paths: [String]) async -> [String] {
    await Task {
      await each(paths, "remove") { path in
        guard let key = try? fileKey(path) else { return }
        try await client.delete(key)
      }
    }.value.done
  }

  package func forEachPage(
    of folder: FileFolder, changedBefore date: Date, page: Int, _ body: ([String]) async throws -> Void
  ) async throws {
    let root = key("\(folder.rawValue)/")
    try await forEachPage(under: root, isDeep: false, page: page) { objects in
      let old = objects.filter { $0.changed < date && $0.key != root && $0.key != root + FileStore.defaultPicture }
      let paths = old.map { String($0.key.dropFirst(prefix.count)) }.filter(FileStore.isPath)
      if !paths.isEmpty { try await body(paths) }
      return true
    }
  }

  /// Copies the files, then deletes them.
  package func moveToTrash(_ paths: [String], day: String) async throws {
    let problem = await each(paths, "move to the trash") { path in
      do { try await client.copy(fileKey(path), to: key("\(trashFolder)/\(day)/\(path)")) } catch let error as S3Error
        where error.isMissing
      { return }
      try await client.delete(fileKey(path))
    }.problem
    if let problem { throw problem }
  }

  package func emptyTrash(before day: String, page: Int) async throws {
    let root = key("\(trashFolder)/")
    try await forEachPage(under: root, isDeep: true, page: page) { objects in
      let days = objects.map { (key: $0.key, day: $0.key.dropFirst(root.count).prefix { $0 != "/" }) }
      let problem = await each(days.filter { isDay($0.day) && $0.day < day }.map(\.key), "empty the trash") {
        try await client.delete($0)
      }.problem
      if let problem { throw problem }
      // Keys come in order of their days.
      return !days.contains { isDay($0.day) && $0.day >= day }
    }
  }

  package func trashSize(upTo limit: Int) async throws -> (files: Int, bytes: Int) { (0, 0) }

  package func installationID() async throws -> String? {
    try await starting {
      guard let bytes = try await client.get(key(installationName)) else { return nil }
      return String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace).first.map(String.init)
    }
  }

  package func setInstallationID(_ id: String) async throws {
    try await starting {
      try await client.put(Array((id + "\n").utf8), type: "text/plain", as: key(installationName))
    }
  }

  package func hasUploads() async throws -> Bool {
    try await starting {
      for folder in FileFolder.allCases {
        let root = key("\(folder.rawValue)/")
        var isUsed = false
        try await forEachPage(under: root, isDeep: false, page: 10) { objects in
          isUsed = objects.contains { object in
            let name = object.key.dropFirst(root.count)
            return !name.isEmpty && !name.hasPrefix(".") && name != FileStore.defaultPicture
          }
          return !isUsed
        }
        if isUsed { return true }
      }
      return false
    }
  }

  /// Checks at most 20 of them, because each needs a call.
  package func holdsAny(of paths: [String]) async throws -> Bool {
    try await starting {
      for path in paths.prefix(20) {
        guard let key = try? fileKey(path) else { continue }
        do {
          _ = try await client.size(of: key)
          return true
        } catch let error as S3Error where error.isMissing {}
      }
      return false
    }
  }

  /// Makes no call: servers share a bucket, so while it is unreachable another server could do no more, and chats without
  /// files still work.
  package func ping() async throws {}

  private static func defaultPicture(of folder: FileFolder) -> String {
    "\(folder.rawValue)/\(FileStore.defaultPicture)"
  }

  /// Prepares the bucket for a starting server. Throws ``SetupError`` instead of ``S3Error``.
  private func starting<Success>(_ body: () async throws -> Success) async throws -> Success {
    do { return try await body() } catch let error as S3Error {
      throw SetupError("the bucket '\(client.bucket)' cannot be used: \(error)\n\(error.cure)")
    }
  }

  private func key(_ path: String) -> String { prefix + path }

  /// The key of a stored file. Throws `Failure(.notFound)` for another path.
  private func fileKey(_ path: String) throws -> String {
    try FileStore.requirePath(path)
    return key(path)
  }

  /// Passes pages of objects to `body` until it returns false.
  private func forEachPage(
    under root: String, isDeep: Bool, page: Int, _ body: ([(key: String, changed: Date)]) async throws -> Bool
  ) async throws {
    var token: String?
    repeat {
      let listing = try await client.list(root, isDeep: isDeep, after: token, limit: page)
      guard try await body(listing.objects) else { return }
      token = listing.next
    } while token != nil
  }

  /// Runs an operation for all paths, some in parallel. Returns the paths for which it succeeded, and one of the errors.
  private func each(
    _ paths: [String], _ name: String, _ body: @escaping @Sendable (String) async throws -> Void
  ) async -> (done: [String], problem: (any Error)?) {
    @Sendable func attempt(_ path: String) async -> (path: String, problem: (any Error)?) {
      do {
        try await body(path)
        return (path, nil)
      } catch { return (path, error) }
    }
    let result = await withTaskGroup(of: (path: String, problem: (any Error)?).self) { group in
      var waiting = paths.makeIterator()
      var (done, problem): ([String], (any Error)?) = ([], nil)
      for _ in 0..<Self.parallelCalls {
        if let path = waiting.next() { group.addTask { await attempt(path) } }
      }
      while let outcome = await group.next() {
        if let failed = outcome.problem { problem = failed } else { done.append(outcome.path) }
        // If the server is unreachable, the other paths are not tried.
        if problem == nil, let path = waiting.next() { group.addTask { await attempt(path) } }
      }
      return (done: done, problem: problem)
    }
    if let problem = result.problem {
      logger.warning("cannot \(name) files in the bucket", metadata: ["error": "\(problem)"])
    }
    return result
  }
}
