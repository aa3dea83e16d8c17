import MadangAPI
import MadangCore
import MadangOperations

extension BodyReader {
  /// Reads a multipart body, and writes its files to disk while they arrive.
  /// - Parameter head: Bytes that were read before.
  nonisolated(nonsending) func multipart(boundary: [UInt8], head: [UInt8]) async throws -> Fields {
    guard boundary.count <= limits.boundary else {
      throw Failure(.invalid, "the boundary of a multipart body may have \(limits.boundary) bytes at most")
    }
    var parser = MultipartParser(boundary: boundary, maxHeaderSize: limits.partHeader, maxParts: limits.parts)
    var fields = Fields()
    var part = Part.ignored
    var bytes: [UInt8]? = head
    while let chunk = bytes {
      do {
        for event in try parser.receive(chunk) {
          switch event {
          case .partBegins(let name, let filename): part = try await begin(name, filename)
          case .bytes(let bytes): try await add(bytes, to: &part)
          case .partEnds: try await end(part, in: &fields)
          }
        }
      } catch let error as MultipartParser.Malformed {
        throw Failure(.invalid, "the multipart body cannot be read: \(error.reason)")
      }
      bytes = try await next()
    }
    guard parser.isFinished else { throw Failure(.invalid, "the multipart body was cut off") }
    return fields
  }

  /// Bytes of a file that are written at a time, or more.
  private static let writeSize = 16 * 1024

  private enum Part {
    case text(name: String, [UInt8])
    case file(name: String, fileName: String, Upload, unwritten: [UInt8])
    case ignored
  }

  /// A part is a file only if it has a file name. A text part named `image` or `files` is ignored (wire contract, Multipart bodies).
  private nonisolated(nonsending) func begin(_ name: String, _ filename: String?) async throws -> Part {
    guard let filename, !filename.isEmpty else {
      return name == Field.image.rawValue || name == Field.files.rawValue ? .ignored : .text(name: name, [])
    }
    guard try await takesFiles() else { return .ignored }
    let upload = try await store.receive(limit: maxFileSize)
    uploads.append(upload)
    return .file(name: name, fileName: filename, upload, unwritten: [])
  }

  private nonisolated(nonsending) func add(_ bytes: [UInt8], to part: inout Part) async throws {
    switch part {
    case .ignored: break
    case .file(let name, let fileName, let upload, var unwritten):
      try charge(bytes.count, .disk)
      // However small the pieces are in which a client sends it, it is written in larger ones.
      part = .ignored
      unwritten += bytes
      if unwritten.count >= Self.writeSize {
        try await store.append(unwritten, to: upload)
        unwritten = []
      }
      part = .file(name: name, fileName: fileName, upload, unwritten: unwritten)
    case .text(let name, var text):
      textSize += bytes.count
      guard textSize <= limits.text else {
        throw Failure(.invalid, "\(name): the texts of a body may have \(limits.text) bytes at most")
      }
      try charge(bytes.count, .memory)
      // Appended in place, however small the pieces are in which a client sends it.
      part = .ignored
      text += bytes
      part = .text(name: name, text)
    }
  }

  private nonisolated(nonsending) func end(_ part: Part, in fields: inout Fields) async throws {
    switch part {
    case .ignored: break
    case .text(let name, let bytes):
      guard let text = String(validating: bytes, as: UTF8.self) else {
        throw Failure(.invalid, "\(name): is not UTF-8")
      }
      fields.add(name, .text(text))
    case .file(let name, let fileName, let upload, let unwritten):
      if !unwritten.isEmpty { try await store.append(unwritten, to: upload) }
      if let staged = try await store.finish(upload, named: fileName) { fields.add(.init(name: name, staged: staged)) }
    }
  }
}
