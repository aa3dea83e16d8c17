import Crypto
import Foundation

/// A file being written, mode 0600, that must not be there yet. Its calls block. It is flushed now and then, so that what
/// waits in memory is never in the way of the flush of somebody's COMMIT. Throws ``BackupProblem``.
struct OutputFile: ~Copyable {
  /// Bytes that are written and flushed at a time: a COMMIT of somebody may have to wait for as many.
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

  /// Hands the buffer to `body`, which adds to it.
  mutating func append(_ body: (inout [UInt8]) throws -> Void) throws {
    try body(&buffer)
    if buffer.count >= Self.flushInterval { try empty() }
  }

  mutating func write(_ bytes: [UInt8]) throws { try append { $0 += bytes } }

  /// Answers what was written.
  ///
  /// - Parameter isFlushed: whether it is on disk then; else it is to be flushed by ``flush(_:)``.
  mutating func finish(isFlushed: Bool = true) throws -> Digest {
    try empty()
    if isFlushed { try flush() }
    return digest
  }

  /// The same for all bytes of another file.
  static func copy(_ source: URL, to target: URL, isFlushed: Bool = true) throws -> Digest {
    let source = try InputFile(source)
    var file = try OutputFile(target)
    while case let bytes = try source.next(), !bytes.isEmpty { try file.write(bytes) }
    return try file.finish(isFlushed: isFlushed)
  }

  /// Flushes files that were written one after the other: the file system's log is written for all of them with the first.
  static func flush(_ files: [URL]) throws {
    for file in files { try MadangCore.flush(file, O_NOFOLLOW) }
  }

  private mutating func empty() throws {
    digest.update(buffer)
    try buffer.withUnsafeBytes { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = Foundation.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        if count < 0, errno == EINTR { continue }
        guard count >= 0 else { throw BackupProblem("written", path) }
        rest = rest.dropFirst(count)
      }
    }
    unflushed += buffer.count
    buffer.removeAll(keepingCapacity: true)
    if unflushed >= Self.flushInterval { try flush() }
  }

  private mutating func flush() throws {
    guard fsync(descriptor) == 0 else { throw BackupProblem("flushed to disk", path) }
    unflushed = 0
  }
}

/// A file being read, some at a time. Its calls block. Throws ``BackupProblem``, also if it is no regular file: a backup may
/// come from anywhere, and a link leads elsewhere, a pipe or a device has no end.
final class InputFile: Sendable {
  private static let bufferSize = 256 << 10

  private let path: String
  private let descriptor: Int32
  /// In bytes, when it was opened.
  let size: Int

  init(_ url: URL) throws {
    path = url.path
    // Nonblocking: to open a pipe would wait for somebody who writes to it.
    descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else {
      if errno == ELOOP { throw BackupProblem("\(path) cannot be read: it is a link, and no file") }
      throw BackupProblem("read", path)
    }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw BackupProblem("\(path) cannot be read: it is no file")
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

/// The size and SHA-256 of bytes.
struct Digest {
  private var hash = SHA256()
  private(set) var size = 0

  init() {}

  /// Of a file's; nil, without reading it, if it has another size. Blocks. Throws ``BackupProblem``.
  init?(of url: URL, size: Int) throws {
    let file = try InputFile(url)
    guard file.size == size else { return nil }
    try self.init(of: file)
  }

  /// Of a file's. Blocks. Throws ``BackupProblem``.
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
