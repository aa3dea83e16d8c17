import Foundation
import NIOCore
import NIOPosix

/// A file to send, read from disk during the upload.
public struct Upload: Sendable {
  public let file: URL
  /// The name that is sent to the server, which does not keep it.
  public let name: String
  /// The size in bytes when the upload was created. Exactly this many bytes are sent.
  public let size: Int

  /// - Throws: ``MadangError/file(path:reason:)`` if there is no readable file.
  public init(file: URL) throws(MadangError) {
    let size: Int?
    do {
      let values = try file.resourceValues(forKeys: [.fileSizeKey, .isRegularFileKey])
      guard values.isRegularFile == true else { throw MadangError.file(path: file.path, reason: "is not a file") }
      size = values.fileSize
    } catch let error as MadangError {
      throw error
    } catch {
      throw .file(path: file.path, reason: error.localizedDescription)
    }
    self.file = file
    self.name = file.lastPathComponent
    self.size = size ?? 0
  }
}

/// Called with the number of bytes passed to the network and the total, including file contents and multipart framing.
public typealias UploadProgress = @Sendable (_ sent: Int, _ total: Int) -> Void

/// The contents of an upload in chunks, read on NIO's thread pool.
struct FileChunks {
  static let chunkSize = 64 << 10
  private let upload: Upload
  private let handle: FileHandle
  private var left: Int

  init(_ upload: Upload) throws(MadangError) {
    self.upload = upload
    left = upload.size
    do {
      handle = try FileHandle(forReadingFrom: upload.file)
    } catch {
      throw .file(path: upload.file.path, reason: error.localizedDescription)
    }
  }

  /// The next bytes, nil at the end.
  /// - Throws: ``MadangError/file(path:reason:)`` if the file has become shorter than the announced size.
  mutating func next() async throws -> ByteBuffer? {
    guard left > 0 else { return nil }
    let count = min(left, Self.chunkSize)
    let data = try await NIOThreadPool.singleton.runIfActive { [handle] in try handle.read(upToCount: count) }
    guard let data, !data.isEmpty else {
      throw MadangError.file(path: upload.file.path, reason: "became shorter while it was sent")
    }
    left -= data.count
    return ByteBuffer(bytes: data)
  }
}
