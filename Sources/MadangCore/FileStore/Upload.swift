import Crypto
import Foundation
import Synchronization

/// A completely received file with a temporary name.
package struct StagedFile: Sendable {
  package let type: MediaType
  /// Nil for an image.
  let name: DocumentName?
  package let size: Int
  /// The location of its bytes until the request ends.
  package let url: URL
  package let sha256: String
}

/// A file that is being received. Calls block; ``FileStore`` makes them on its own threads.
package final class Upload: Sendable {
  private struct State {
    var handle: FileHandle?
    var hash = SHA256()
    var head: [UInt8] = []
    var text = TextSieve()
    var size = 0
  }

  private let url: URL
  private let limit: Int
  private let state: Mutex<State>

  init(writingTo url: URL, limit: Int) throws {
    self.url = url
    self.limit = limit
    guard FileManager.default.createFile(atPath: url.path, contents: nil) else {
      throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: url.path])
    }
    let handle = try FileHandle(forWritingTo: url)
    state = Mutex(State(handle: handle))
  }

  func append(_ bytes: [UInt8]) throws {
    try state.withLock { state in
      state.size += bytes.count
      guard state.size <= limit else { throw Failure(.invalid, "a file may have \(limit) bytes at most") }
      if state.head.count < MediaType.headLength {
        state.head += bytes.prefix(MediaType.headLength - state.head.count)
      }
      state.text.add(bytes)
      state.hash.update(data: bytes)
      try state.handle?.write(contentsOf: bytes)
    }
  }

  func finish(named fileName: String) throws -> StagedFile? {
    try state.withLock { state in
      guard state.size > 0 else { return nil }
      let fileExtension = DocumentName.fileExtension(of: fileName)
      guard
        let type = MediaType(head: state.head, isText: state.text.isText, fileExtension: fileExtension)
      else {
        throw Failure(
          .invalid,
          "the server does not recognise the type of a file by its content\(fileExtension.map { " and the extension .\($0)" } ?? "")"
        )
      }
      try state.handle?.synchronize()
      try state.handle?.close()
      state.handle = nil
      return StagedFile(
        type: type, name: type.isImage ? nil : DocumentName(ofFile: fileName), size: state.size, url: url,
        sha256: state.hash.finalize().hex)
    }
  }

  func discard() {
    state.withLock { state in
      try? state.handle?.close()
      state.handle = nil
    }
    try? FileManager.default.removeItem(at: url)
  }
}
