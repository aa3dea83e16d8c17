import Foundation
import Hummingbird
import MadangAPI
import MadangCore
import MadangOperations
import NIOCore
import SocketIOProtocol

/// Reads a request's body as fields, in any of the three encodings, and streams its files to disk.
///
/// Memory does not grow with the size of files. Whatever happens, ``finish()`` reads what is left: some clients
/// report a network error if an answer comes while they still send.
final class BodyReader {
  private var chunks: RequestBody.AsyncIterator
  private let contentType: String?
  private let store: FileStore
  private let limits: BodyLimits
  private let maxFileSize: Int
  /// Asked before a file is taken: whether the caller may send any. Those of strangers are read and dropped.
  var takesFiles: () async throws -> Bool = { false }
  private let ledger: Ledger
  private let payer: KeyHash
  /// What the body has, once it was read.
  private(set) var found: Fields?
  private var charged: [Ledger.Cost: Int] = [:]
  private var size = 0
  /// Of all text parts.
  private var textSize = 0
  private var isExhausted = false
  private var uploads: [Upload] = []

  /// - Parameters:
  ///   - ledger: Where the bytes that are held are counted, until ``finish()``.
  ///   - payer: For whom.
  init(
    _ request: Request, store: FileStore, limits: BodyLimits, maxFileSize: Int, ledger: Ledger, payer: KeyHash
  ) {
    self.ledger = ledger
    self.payer = payer
    chunks = request.body.makeAsyncIterator()
    contentType = request.headers.value(of: .contentType)
    self.store = store
    self.limits = limits
    self.maxFileSize = maxFileSize
  }

  /// The fields. Throws `Failure(.invalid)` if the body cannot be read or passes a limit.
  nonisolated(nonsending) func fields() async throws -> Fields {
    let fields = try await readFields()
    found = fields
    return fields
  }

  private nonisolated(nonsending) func readFields() async throws -> Fields {
    if let contentType, contentType.lowercased().hasPrefix("multipart/"),
      let boundary = parameter("boundary", of: contentType), !boundary.isEmpty
    {
      return try await multipart(boundary: Array(boundary.utf8), head: [])
    }
    // Otherwise the first byte that is no blank tells: clients label JSON as a form, or not at all.
    var (head, blanks) = ([UInt8](), 0)
    while blanks == head.count, head.count <= limits.text, let chunk = try await nextText() {
      head += chunk
      // Nothing is looked at twice, however small the chunks are.
      blanks += chunk.prefix(while: isBlank).count
    }
    let text = head[blanks...]
    if text.isMultipart {
      var hasLine = text.contains(UInt8(ascii: "\n"))
      while !hasLine, head.count - blanks <= limits.partHeader, let chunk = try await nextText() {
        head += chunk
        hasLine = chunk.contains(UInt8(ascii: "\n"))
      }
      let line = head[blanks...].prefix { $0 != UInt8(ascii: "\r") && $0 != UInt8(ascii: "\n") }
      return try await multipart(boundary: Array(line.dropFirst(2)), head: head)
    }
    while head.count <= limits.text, let chunk = try await nextText() { head += chunk }
    guard head.count <= limits.text else { throw Failure(.invalid, "the body may have \(limits.text) bytes at most") }
    return switch text.first {
    case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "\""): try json(head)
    default: try form(head)
    }
  }

  /// Reads and drops what is left of the body, up to the limit, and removes what was received and not kept.
  nonisolated(nonsending) func finish() async {
    do { while try await next() != nil {} } catch { isExhausted = true }
    if !uploads.isEmpty { await store.discard(uploads) }
    uploads = []
    for (cost, amount) in charged { ledger.giveBack(cost, amount, for: payer) }
    charged = [:]
  }

  /// Notes bytes that are held until the end of the call. Throws `E98` if they are too many.
  private func charge(_ amount: Int, _ cost: Ledger.Cost) throws {
    guard ledger.take(cost, amount, for: payer) else {
      throw Refusal(.tooManyCalls, "requests from this address already hold too much memory", retryAfter: 1)
    }
    charged[cost, default: 0] += amount
  }

  private nonisolated(nonsending) func nextText() async throws -> [UInt8]? {
    guard let chunk = try await next() else { return nil }
    try charge(chunk.count, .memory)
    return chunk
  }

  private nonisolated(nonsending) func next() async throws -> [UInt8]? {
    guard !isExhausted else { return nil }
    guard size <= limits.request else {
      isExhausted = true
      throw Failure(.invalid, "the body may have \(limits.request) bytes at most")
    }
    let chunk: ByteBuffer?
    do { chunk = try await chunks.next(isolation: #isolation) } catch {
      // The client is gone; there is nobody to tell, and nothing of ours has failed.
      isExhausted = true
      throw Failure(.invalid, "the body was cut off")
    }
    guard let chunk else {
      isExhausted = true
      return nil
    }
    size += chunk.readableBytes
    return Array(chunk.readableBytesView)
  }

  private func json(_ bytes: [UInt8]) throws -> Fields {
    // What is not text is refused; it is not the same as nothing.
    guard String(validating: bytes, as: UTF8.self) != nil, let members = JSONScanner.members(ofObject: bytes) else {
      throw Failure(.invalid, "the body is not a JSON object")
    }
    var fields = Fields()
    for member in members {
      fields.add(member.key, try value(of: bytes[member.value]))
    }
    return fields
  }

  private func value(of json: ArraySlice<UInt8>) throws -> Fields.Value {
    guard json.first == UInt8(ascii: "\"") else { return json.elementsEqual("null".utf8) ? .null : .other }
    guard let text = JSONText.string(json, loneSurrogates: .refused) else {
      throw Failure(.invalid, "the body has a string that is not valid text")
    }
    return .text(text)
  }

  private func form(_ bytes: [UInt8]) throws -> Fields {
    var fields = Fields()
    for pair in bytes.split(separator: UInt8(ascii: "&")) {
      let parts = [pair.prefix { $0 != UInt8(ascii: "=") }, pair.drop { $0 != UInt8(ascii: "=") }.dropFirst()]
      let texts = parts.map { String(validating: percentDecodedBytes($0, plusIsBlank: true), as: UTF8.self) }
      guard let name = texts[0], let value = texts[1] else { throw Failure(.invalid, "the body is not UTF-8") }
      fields.add(Fields.name(ofForm: name), .text(value))
    }
    return fields
  }

  private nonisolated(nonsending) func multipart(boundary: [UInt8], head: [UInt8]) async throws -> Fields {
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

extension Collection<UInt8> {
  /// Whether a body is read as multipart although its type does not say so.
  package var isMultipart: Bool { drop(while: isBlank).starts(with: "--".utf8) }
}

private func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
