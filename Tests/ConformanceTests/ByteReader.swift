import NIOCore
import NIOHTTP1

/// Requests and WebSocket messages out of the bytes of a connection.
struct ByteReader: Sendable {
  private var buffer: [UInt8] = []
  private var iterator: SendableIterator

  /// A connection has one reader at a time.
  private final class SendableIterator: @unchecked Sendable {
    var iterator: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
    init(_ iterator: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator) { self.iterator = iterator }
  }

  init(_ inbound: NIOAsyncChannelInboundStream<ByteBuffer>) {
    iterator = SendableIterator(inbound.makeAsyncIterator())
  }

  private mutating func more() async throws -> Bool {
    guard let bytes = try await iterator.iterator.next() else { return false }
    buffer += bytes.readableBytesView
    return true
  }

  private mutating func take(_ count: Int) async throws -> [UInt8]? {
    while buffer.count < count { guard try await more() else { return nil } }
    defer { buffer.removeFirst(count) }
    return Array(buffer.prefix(count))
  }

  /// The bytes of a head, with the empty line.
  mutating func head() async throws -> [UInt8]? {
    while true {
      if let end = buffer.firstRange(of: Array("\r\n\r\n".utf8)) { return try await take(end.upperBound) }
      guard try await more() else { return nil }
    }
  }

  mutating func request() async throws -> (ProxyRequest, head: [UInt8])? {
    guard let head = try await head() else { return nil }
    let lines = String(decoding: head, as: UTF8.self).split(separator: "\r\n")
    let words = lines.first?.split(separator: " ") ?? []
    guard words.count == 3 else { return nil }
    var headers = HTTPHeaders()
    for line in lines.dropFirst() {
      let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      headers.add(name: String(parts[0]), value: parts.count > 1 ? String(parts[1].drop { $0 == " " }) : "")
    }
    let length = headers.first(name: "Content-Length").flatMap(Int.init) ?? 0
    guard let body = try await take(length) else { return nil }
    return (ProxyRequest(method: String(words[0]), target: String(words[1]), headers: headers, body: body), head)
  }

  mutating func frame() async throws -> WireFrame? {
    guard let start = try await take(2) else { return nil }
    var length = Int(start[1] & 0x7f)
    if let count = [126: 2, 127: 8][length] {
      guard let bytes = try await take(count) else { return nil }
      length = bytes.reduce(0) { $0 << 8 | Int($1) }
    }
    let mask = start[1] & 0x80 == 0 ? [0, 0, 0, 0] : try await take(4)
    guard let mask, let payload = try await take(length) else { return nil }
    return WireFrame(first: start[0], payload: payload.enumerated().map { $1 ^ mask[$0 & 3] })
  }
}

/// One WebSocket frame, unmasked.
struct WireFrame: Sendable {
  let first: UInt8
  let payload: [UInt8]

  var isText: Bool { first == 0x81 }

  func encoded(isMasked: Bool) -> [UInt8] {
    let bit: UInt8 = isMasked ? 0x80 : 0
    var bytes = [first]
    switch payload.count {
    case ...125: bytes.append(bit | UInt8(payload.count))
    case ...65535: bytes += [bit | 126, UInt8(payload.count >> 8), UInt8(payload.count & 0xff)]
    default:
      bytes.append(bit | 127)
      bytes += (0..<8).map { UInt8(truncatingIfNeeded: payload.count >> (56 - 8 * $0)) }
    }
    // A mask of zeros changes nothing.
    return bytes + (isMasked ? [0, 0, 0, 0] : []) + payload
  }
}
