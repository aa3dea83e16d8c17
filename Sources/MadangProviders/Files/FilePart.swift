import Crypto
import Foundation
import MadangCore
import NIOCore
import Storage

/// A part of a file of this machine, read piece by piece as it is sent. It can be read again from its beginning.
struct FilePart: AsyncSequence, Sendable {
  /// Bytes of a piece: what an upload holds in memory, but for what waits in its connection.
  private static let pieceSize = 128 << 10

  let file: URL
  let offset: Int
  let size: Int
  let sha256: String
  private let workers: WorkerPool

  /// - Parameter sha256: Of the part's bytes, in hexadecimal digits.
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

    /// Throws if the file is shorter than it was.
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
