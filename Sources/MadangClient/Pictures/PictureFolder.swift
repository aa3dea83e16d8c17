import Crypto
import Foundation
import NIOPosix

/// Pictures on disk. Each file has the digest of a picture's bytes, then the bytes. Its modification date is the time of the last use.
actor PictureFolder {
  private let folder: URL
  private let age: TimeInterval
  private let limit: Int
  /// Names of files; nil until the folder has been read.
  private var files: RecentlyUsed<Void>?

  init(_ folder: URL, limit: Int, age: TimeInterval) {
    self.folder = folder
    self.limit = limit
    self.age = age
  }

  /// The bytes of a picture; nil if it is missing or damaged.
  func read(_ path: String, at now: Date) async -> Data? {
    let name = Self.name(of: path)
    await tidy(at: now)
    guard let data = await onThread({ file in try Self.read(file, usedAt: now) }, of: name) else {
      files?.remove(name)
      return nil
    }
    _ = files?.use(name, at: now)
    return data
  }

  /// Keeps a picture. If the disk is full or fails, the picture is downloaded again next time.
  func write(_ data: Data, for path: String, at now: Date) async {
    let name = Self.name(of: path)
    await tidy(at: now)
    guard await onThread({ try Self.write(data, to: $0, usedAt: now) }, of: name) != nil else { return }
    let old = files?.insert((), for: name, size: data.count + SHA256.byteCount, at: now) ?? []
    await remove(old)
  }

  func removeAll() async throws {
    files = nil
    do {
      try await NIOThreadPool.singleton.runIfActive { [folder] in
        if FileManager.default.fileExists(atPath: folder.path) { try FileManager.default.removeItem(at: folder) }
      }
    } catch {
      throw MadangError.file(path: folder.path, reason: error.localizedDescription)
    }
  }

  /// Removes old files; reads the folder the first time.
  private func tidy(at now: Date) async {
    if files == nil {
      let found = (try? await NIOThreadPool.singleton.runIfActive { [folder] in try Self.list(folder) }) ?? []
      if files == nil {
        var known = RecentlyUsed<Void>(limit: limit)
        let old = found.flatMap { known.insert((), for: $0.name, size: $0.size, at: $0.date) }
        files = known
        await remove(old)
      }
    }
    await remove(files?.remove(olderThan: now.addingTimeInterval(-age)) ?? [])
  }

  private func remove(_ names: [String]) async {
    for name in names { _ = await onThread({ try FileManager.default.removeItem(at: $0) }, of: name) }
  }

  /// Runs work on a file on another thread; nil if it fails.
  private func onThread<Value: Sendable>(
    _ work: @escaping @Sendable (URL) throws -> Value?, of name: String
  ) async -> Value? {
    let file = folder.appending(path: name)
    return try? await NIOThreadPool.singleton.runIfActive { try work(file) }
  }
}

// MARK: - Files

extension PictureFolder {
  /// Paths come from a server, so only their digest is used as a name.
  private static func name(of path: String) -> String {
    SHA256.hash(data: Data(path.utf8)).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
  }

  /// - Returns: Nil for a missing or damaged file; a damaged file is removed.
  private static func read(_ file: URL, usedAt now: Date) throws -> Data? {
    guard let stored = FileManager.default.contents(atPath: file.path) else { return nil }
    let bytes = stored.dropFirst(SHA256.byteCount)
    guard stored.count > SHA256.byteCount, SHA256.hash(data: bytes) == stored.prefix(SHA256.byteCount) else {
      try FileManager.default.removeItem(at: file)
      return nil
    }
    try FileManager.default.setAttributes([.modificationDate: now], ofItemAtPath: file.path)
    return Data(bytes)
  }

  private static func write(_ data: Data, to file: URL, usedAt now: Date) throws {
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    try (Data(SHA256.hash(data: data)) + data).write(to: file, options: .atomic)
    try FileManager.default.setAttributes([.modificationDate: now], ofItemAtPath: file.path)
  }

  /// All files, the least recently used first.
  private static func list(_ folder: URL) throws -> [(name: String, size: Int, date: Date)] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).compactMap { name in
      let attributes = try FileManager.default.attributesOfItem(atPath: folder.appending(path: name).path)
      guard let size = attributes[.size] as? NSNumber, let date = attributes[.modificationDate] as? Date else {
        return nil
      }
      return (name, size.intValue, date)
    }.sorted { $0.date < $1.date }
  }
}
