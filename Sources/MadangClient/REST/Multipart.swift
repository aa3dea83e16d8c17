import Foundation
import MadangAPI
import NIOCore

/// Fields and files as `multipart/form-data` (RFC 7578), files streamed from disk.
struct Multipart: Sendable {
  private let parts: [Part]
  private let boundary: String
  private let progress: UploadProgress?

  fileprivate enum Part: Sendable {
    case text(String)
    case file(Upload)
  }

  init(fields: [(Field, String?)], files: [(Field, Upload)], progress: UploadProgress?) {
    let boundary = "madang-" + UUID().uuidString
    var parts: [Part] = []
    for (field, value) in fields {
      guard let value else { continue }
      let head = "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(field.rawValue)\"\r\n\r\n"
      parts.append(.text(head + value + "\r\n"))
    }
    for (field, upload) in files {
      let name = Self.quoted(upload.name)
      let disposition = "Content-Disposition: form-data; name=\"\(field.rawValue)\"; filename=\"\(name)\"\r\n"
      parts.append(.text("--\(boundary)\r\n\(disposition)Content-Type: application/octet-stream\r\n\r\n"))
      parts += [.file(upload), .text("\r\n")]
    }
    parts.append(.text("--\(boundary)--\r\n"))
    self.parts = parts
    self.boundary = boundary
    self.progress = progress
  }

  var contentType: String { "multipart/form-data; boundary=\(boundary)" }

  var length: Int {
    parts.reduce(0) { total, part in
      switch part {
      case .text(let text): total + text.utf8.count
      case .file(let upload): total + upload.size
      }
    }
  }

  /// Escapes a file name as HTML's multipart encoding does.
  private static func quoted(_ name: String) -> String {
    name.replacing("\"", with: "%22").replacing("\r", with: "%0D").replacing("\n", with: "%0A")
  }
}

extension Multipart: AsyncSequence {
  typealias Element = ByteBuffer

  func makeAsyncIterator() -> Iterator { Iterator(parts: parts[...], total: length, progress: progress) }

  struct Iterator: AsyncIteratorProtocol {
    private var parts: ArraySlice<Multipart.Part>
    private var open: FileChunks?
    private var sent = 0
    private let total: Int
    private let progress: UploadProgress?

    fileprivate init(parts: ArraySlice<Part>, total: Int, progress: UploadProgress?) {
      self.parts = parts
      self.total = total
      self.progress = progress
    }

    mutating func next() async throws -> ByteBuffer? {
      guard let buffer = try await nextBuffer() else { return nil }
      sent += buffer.readableBytes
      progress?(sent, total)
      return buffer
    }

    private mutating func nextBuffer() async throws -> ByteBuffer? {
      while true {
        if let chunk = try await open?.next() { return chunk }
        open = nil
        switch parts.popFirst() {
        case .text(let text): return ByteBuffer(string: text)
        case .file(let upload): open = try FileChunks(upload)
        case nil: return nil
        }
      }
    }
  }
}
