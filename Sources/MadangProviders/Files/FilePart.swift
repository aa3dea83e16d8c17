import Crypto
import Foundation
import MadangCore
import NIOCore
import Storage

/// A part of a local file, read piece by piece as it is sent. It can be read again from its start.
struct FilePart: AsyncSequence, Sendable {
  /// Bytes of a piece: the memory of an upload, besides the connection's buffer.
  private static let pieceSize = 128 << 10

  let file: URL
  let offset: Int
  let size: Int
  let sha256: String
  private let workers: WorkerPool

  /// - Parameter sha256: The SHA-256 of the part's bytes, in hexadecimal digits.
  init(of file: URL, offset: Int, size: Int, sha256: String, workers: WorkerPool) {
    (self.file, self.offset, self.size, self.sha256, self.workers) = (file, offset, size, sha256, workers)
  }

  /// Reads the part once, for its hash.
  init(of file: URL, offset: Int, size: Int, workers: WorkerPool) async throws {
    var hash = SHA256()
    let part = FilePart(of: file, offset: offset, size: size, sha256: "", workers: workers)
    for try await piece in part { hash.update(data: Array(piece.readableBytesView)) }
    self.init(of: file, offset: offset, size: size, sha256: hash.finalize().hex, workers: workers)
  }

  func makeAsyncIterator() -> Iterator { Iterator(part: self) }

  struct Iterator: AsyncIteratorProtocol {
    fileprivate let part: FilePart
    private var position = 0

    fileprivate init(part: FilePart) { self.part = part }

    /// Throws if the file has become shorter.
    mutating func next() async throws -> ByteBuffer? {
      guard position < part.size else { return nil }
      let count = Swift.min(FilePart.pieceSize, part.size - position)
      let piece = try await part.workers.run { [part, position] in
        let handle = try FileHandle(forReadingFrom: part.file)
        defer { try? handle.close() }
        try handle.seek(toOffset: UInt64(part.offset + position))
        return try handle.read(upToCount: count) ?? Data()
      }
      guard piece.count == count else { throw POSIXError(.EIO) }
      position += count
      return ByteBuffer(bytes: piece)
    }
  }
}
