import AsyncHTTPClient
import Foundation
import MadangAPI
import NIOCore
import NIOPosix

extension MadangClient {
  /// Downloads a stored file, and passes its bytes on as they arrive.
  /// - Parameters:
  ///   - path: A path as objects contain it, `/static/<folder>/<name>`; others are refused as E13.
  ///   - chunk: Receives the bytes in order; an error that it throws ends the download.
  /// - Throws: E13 if the file does not exist or the caller may not read it.
  public func download(_ path: String, each chunk: (ByteBuffer) async throws -> Void) async throws {
    let parts = path.split(separator: "/", omittingEmptySubsequences: true).map(String.init)
    guard path.hasPrefix(StoredPath.prefix), parts.count == 3 else {
      throw MadangError.refused(.notFound, status: ErrorCode.notFound.status)
    }
    // A document's name is already percent-encoded in its path.
    let call = Call(
      Edition2024_10.file, Edition2024_10.file.path(parts[1], parts[2].removingPercentEncoding ?? parts[2]))
    let response = try await authorised { try await http.send(call, token: $0) }
    let body = http.body(of: response)
    while let buffer = try await body.next() { try await chunk(buffer) }
  }

  /// Downloads a stored file to disk. The file appears under its name complete, or not at all.
  /// - Returns: The size in bytes.
  @discardableResult
  public func download(_ path: String, to file: URL) async throws -> Int {
    let partial = file.appendingPathExtension("part-" + UUID().uuidString)
    let sink = try FileSink(partial)
    do {
      try await download(path) { try await sink.write($0) }
      try await sink.finish(as: file)
    } catch {
      await sink.discard()
      throw error
    }
    return await sink.count
  }
}

/// A file being written on NIO's thread pool.
private actor FileSink {
  private let file: URL
  private let handle: FileHandle
  private(set) var count = 0

  init(_ file: URL) throws {
    self.file = file
    guard FileManager.default.createFile(atPath: file.path, contents: nil) else {
      throw MadangError.file(path: file.path, reason: "cannot be created")
    }
    handle = try FileHandle(forWritingTo: file)
  }

  func write(_ buffer: ByteBuffer) async throws {
    count += buffer.readableBytes
    try await onThread { [handle] in try handle.write(contentsOf: Data(buffer.readableBytesView)) }
  }

  func finish(as name: URL) async throws {
    try await onThread { [handle, file] in
      try handle.synchronize()
      try handle.close()
      guard rename(file.path, name.path) == 0 else {
        throw MadangError.file(path: name.path, reason: String(cString: strerror(errno)))
      }
    }
  }

  func discard() {
    try? handle.close()
    try? FileManager.default.removeItem(at: file)
  }

  private func onThread(_ work: @escaping @Sendable () throws -> Void) async throws {
    do {
      try await NIOThreadPool.singleton.runIfActive(work)
    } catch let error as MadangError {
      throw error
    } catch {
      throw MadangError.file(path: file.path, reason: error.localizedDescription)
    }
  }
}
