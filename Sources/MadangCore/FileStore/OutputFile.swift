import Crypto
import Foundation

/// Writes a new file with mode 0600. Calls block. The file is flushed at intervals, so that unwritten data never delays the flush of a
/// server's COMMIT for long. Throws ``BackupProblem``, also if the file exists.
struct OutputFile: ~Copyable {
  /// Bytes that are written and flushed at a time. A COMMIT of the server may have to wait for this many.
  static let flushInterval = 256 << 10

  private let path: String
  private let descriptor: Int32
  private var buffer: [UInt8] = []
  private var digest = Digest()
  private var unflushed = 0

  init(_ url: URL) throws {
    path = url.path
    descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw BackupProblem("made", path) }
  }

  deinit { close(descriptor) }

  /// Calls `body` with the buffer, so that it can append to it.
  mutating func append(_ body: (inout [UInt8]) throws -> Void) throws {
    try body(&buffer)
    if buffer.count >= Self.flushInterval { try empty() }
  }

  mutating func write(_ bytes: [UInt8]) throws { try append { $0 += bytes } }

  /// Ends the file and returns its size and hash.
  ///
  /// - Parameter isFlushed: Whether the file is flushed now; if not, the caller flushes it with ``flush(_:)``.
  mutating func finish(isFlushed: Bool = true) throws -> Digest {
    try empty()
    if isFlushed { try flush() }
    return digest
  }

  /// Copies a file into a new one and returns its size and hash.
  static func copy(_ source: URL, to target: URL, isFlushed: Bool = true) throws -> Digest {
    let source = try InputFile(source)
    var file = try OutputFile(target)
    while case let bytes = try source.next(), !bytes.isEmpty { try file.write(bytes) }
    return try file.finish(isFlushed: isFlushed)
  }

  /// Flushes several files one after another. This is cheap: the first flush writes the file system's log for all of them.
  static func flush(_ files: [URL]) throws {
    for file in files { try MadangCore.flush(file, O_NOFOLLOW) }
  }

  private mutating func empty() throws {
    digest.update(buffer)
    guard buffer.withUnsafeBytes({ writeAll($0, to: descriptor) }) else { throw BackupProblem("written", path) }
    unflushed += buffer.count
    buffer.removeAll(keepingCapacity: true)
    if unflushed >= Self.flushInterval { try flush() }
  }

  private mutating func flush() throws {
    guard fsync(descriptor) == 0 else { throw BackupProblem("flushed to disk", path) }
    unflushed = 0
  }
}

/// Reads a regular file in pieces. Calls block. Throws ``BackupProblem``, also for anything but a regular file: a backup is untrusted, and
/// a link could lead elsewhere, while pipes and devices have no end.
final class InputFile: Sendable {
  private static let bufferSize = 256 << 10

  private let path: String
  private let descriptor: Int32
  /// The size in bytes at the time of opening.
  let size: Int

  init(_ url: URL) throws {
    path = url.path
    // Nonblocking, because opening a pipe would wait for a writer.
    descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else {
      if errno == ELOOP { throw BackupProblem("\(path) cannot be read: it is a link instead of a file") }
      throw BackupProblem("read", path)
    }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw BackupProblem("\(path) cannot be read: it is not a file")
    }
    size = Int(status.st_size)
  }

  deinit { close(descriptor) }

  /// All bytes. Throws if there are more than `limit`.
  static func contents(of url: URL, limit: Int) throws -> Data {
    let file = try InputFile(url)
    guard file.size <= limit else {
      throw BackupProblem("\(url.path) cannot be read: it has more than \(limit) bytes")
    }
    var all = Data()
    while all.count <= limit, case let bytes = try file.next(), !bytes.isEmpty { all += bytes }
    return all
  }

  /// The next bytes; empty at the end.
  func next() throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: Self.bufferSize)
    while true {
      let count = bytes.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw BackupProblem("read", path) }
      bytes.removeLast(bytes.count - count)
      return bytes
    }
  }
}

/// The size and SHA-256 of some bytes.
struct Digest {
  private var hash = SHA256()
  private(set) var size = 0

  init() {}

  /// The digest of a file; nil, without reading it, if its size is not `size`. Blocks. Throws ``BackupProblem``.
  init?(of url: URL, size: Int) throws {
    let file = try InputFile(url)
    guard file.size == size else { return nil }
    try self.init(of: file)
  }

  /// The digest of a file. Blocks. Throws ``BackupProblem``.
  init(of url: URL) throws { try self.init(of: InputFile(url)) }

  private init(of file: InputFile) throws {
    while case let bytes = try file.next(), !bytes.isEmpty { update(bytes) }
  }

  mutating func update(_ bytes: [UInt8]) {
    hash.update(data: bytes)
    size += bytes.count
  }

  var hex: String { hash.finalize().hex }

  func isOf(size: Int, sha256: String) -> Bool { self.size == size && hex == sha256 }
}

/// Why a backup could not be made, read or restored, in words.
package struct BackupProblem: Error, CustomStringConvertible {
  package let description: String

  init(_ description: String) { self.description = description }

  /// A system call failed.
  init(_ what: String, _ path: String, errno code: Int32 = errno) {
    description = "\(path) cannot be \(what): \(String(cString: strerror(code)))"
  }
}
