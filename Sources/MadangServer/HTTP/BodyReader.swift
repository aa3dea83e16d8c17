import Foundation
import Hummingbird
import MadangAPI
import MadangCore
import MadangOperations
import NIOCore
import SocketIOProtocol

/// Reads a request's body as fields, in any of the three encodings, and streams its files to disk.
///
/// Memory does not grow with the size of files. ``finish()`` always reads the rest: some clients
/// report a network error if an answer comes while they still send.
package final class BodyReader {
  private let body: RequestBody
  private lazy var chunks = body.makeAsyncIterator()
  private let contentType: String?
  let store: FileStore
  let limits: BodyLimits
  let maxFileSize: Int
  /// Asked before a file is stored: whether the caller may send files. Files of unknown callers are read and dropped. Released by
  /// ``finish()``, because it refers to the call, and the call refers to this reader.
  var takesFiles: () async throws -> Bool = { false }
  private let ledger: Ledger
  private let payer: KeyHash
  /// What the body has, once it was read.
  private(set) var found: Fields?
  private var charged: [Ledger.Cost: Int] = [:]
  private var size = 0
  /// Of all text parts.
  var textSize = 0
  private var isExhausted = false
  var uploads: [Upload] = []

  /// - Parameters:
  ///   - ledger: Where the bytes that are held are counted, until ``finish()``.
  ///   - payer: For whom.
  init(
    _ request: Request, store: FileStore, limits: BodyLimits, maxFileSize: Int, ledger: Ledger, payer: KeyHash
  ) {
    self.ledger = ledger
    self.payer = payer
    body = request.body
    contentType = request.headers.value(of: .contentType)
    self.store = store
    self.limits = limits
    self.maxFileSize = maxFileSize
  }

  /// The fields. Throws `Failure(.invalid)` if the body cannot be read or passes a limit.
  package nonisolated(nonsending) func fields() async throws -> Fields {
    let fields = try await readFields()
    found = fields
    return fields
  }

  /// A body of text, as it was sent. Throws `Failure(.invalid)` if it passes a limit.
  /// - Parameter size: A smaller limit in bytes.
  package nonisolated(nonsending) func text(upTo size: Int = .max) async throws -> [UInt8] {
    let limit = min(size, limits.text)
    var text: [UInt8] = []
    while text.count <= limit, let chunk = try await nextText() { text += chunk }
    guard text.count <= limit else { throw Failure(.invalid, "the body may have \(limit) bytes at most") }
    return text
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
    case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "\""): try Fields(json: head)
    default: try Fields(form: head)
    }
  }

  /// Reads and drops what is left of the body, up to the limit, and removes what was received and not kept.
  nonisolated(nonsending) func finish() async {
    do { while try await next() != nil {} } catch { isExhausted = true }
    if !uploads.isEmpty { await store.discard(uploads) }
    uploads = []
    for (cost, amount) in charged { ledger.giveBack(cost, amount, for: payer) }
    charged = [:]
    takesFiles = { false }
  }

  /// Notes bytes that are held until the end of the call. Throws `E98` if they are too many.
  func charge(_ amount: Int, _ cost: Ledger.Cost) throws {
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

  nonisolated(nonsending) func next() async throws -> [UInt8]? {
    guard !isExhausted else { return nil }
    guard size <= limits.request else {
      isExhausted = true
      throw Failure(.invalid, "the body may have \(limits.request) bytes at most")
    }
    let chunk: ByteBuffer?
    do { chunk = try await chunks.next(isolation: #isolation) } catch {
      // The client is gone, and this server has not failed.
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
}

extension Collection<UInt8> {
  /// Whether a body is read as multipart although its type does not say so.
  package var isMultipart: Bool { drop(while: isBlank).starts(with: "--".utf8) }
}

private func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
