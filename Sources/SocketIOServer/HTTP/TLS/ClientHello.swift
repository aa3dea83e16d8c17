import NIOCore

/// The beginning of a TLS connection: what its client offers (RFC 8446, section 4.1.2).
struct ClientHello: Equatable {
  /// In lower case; nil if the client names none.
  let serverName: String?
  /// In the client's order; empty if it offers none.
  let protocols: [String]

  /// - Parameter message: The whole handshake message, with its header. Nil if it is no such message.
  init?(message: ByteBuffer) {
    var bytes = message
    // type, length, version, random.
    guard bytes.readInteger(as: UInt8.self) == 1, bytes.readUInt24() != nil, bytes.skip(2 + 32),
      // session id, cipher suites, compression methods.
      bytes.readPrefixed8() != nil, bytes.readPrefixed16() != nil, bytes.readPrefixed8() != nil
    else { return nil }
    var (name, protocols) = (String?.none, [String]())
    if bytes.readableBytes > 0 {
      guard var extensions = bytes.readPrefixed16() else { return nil }
      while extensions.readableBytes > 0 {
        guard let type = extensions.readInteger(as: UInt16.self), let value = extensions.readPrefixed16()
        else { return nil }
        switch type {
        case 0: name = Self.serverName(value)
        case 16: protocols = Self.protocols(value)
        default: break
        }
      }
    }
    (serverName, self.protocols) = (name, protocols)
  }

  /// RFC 6066, section 3.
  private static func serverName(_ value: ByteBuffer) -> String? {
    var value = value
    guard var list = value.readPrefixed16() else { return nil }
    while let type = list.readInteger(as: UInt8.self), let name = list.readPrefixed16() {
      // Names are ASCII (RFC 6066); others cost long to compare.
      guard type == 0, name.readableBytes <= 255, name.readableBytesView.allSatisfy({ $0 < 0x80 }) else { continue }
      return String(buffer: name).lowercased()
    }
    return nil
  }

  /// RFC 7301, section 3.1.
  private static func protocols(_ value: ByteBuffer) -> [String] {
    var value = value
    guard var list = value.readPrefixed16() else { return [] }
    var protocols: [String] = []
    while let name = list.readPrefixed8() { protocols.append(String(buffer: name)) }
    return protocols
  }
}

/// Collects the first handshake message of a TLS connection, which may be spread over several records (RFC 8446, section 5.1). Each byte is
/// looked at once.
struct ClientHelloReader {
  enum Outcome: Equatable {
    /// More bytes are needed.
    case incomplete
    /// The connection begins with something else, or with a longer message than an authority sends.
    case other
    case hello(ClientHello)
  }

  /// The longest message, in bytes. Browsers send some 2000.
  static let limit = 16 * 1024

  private var size = 0
  private var records = ByteBuffer()
  private var message = ByteBuffer()

  /// Takes the connection's next bytes. Do not call it after another outcome than `.incomplete`.
  mutating func read(_ bytes: ByteBuffer) -> Outcome {
    records.writeImmutableBuffer(bytes)
    size += bytes.readableBytes
    let outcome = parse()
    // A message in many small records is not worth its memory.
    return outcome == .incomplete && size > 2 * Self.limit ? .other : outcome
  }

  private mutating func parse() -> Outcome {
    while let type = records.getInteger(at: records.readerIndex, as: UInt8.self) {
      guard type == 22 else { return .other }
      guard let length = records.getInteger(at: records.readerIndex + 3, as: UInt16.self) else { return .incomplete }
      // Records of a handshake are not empty.
      guard length > 0, message.readableBytes + Int(length) <= Self.limit else { return .other }
      guard records.readableBytes >= 5 + Int(length) else { return .incomplete }
      records.moveReaderIndex(forwardBy: 5)
      if var part = records.readSlice(length: Int(length)) { message.writeBuffer(&part) }
      guard let end = messageEnd else { return .other }
      if message.readableBytes >= end {
        return ClientHello(message: message.getSlice(at: message.readerIndex, length: end) ?? message)
          .map(Outcome.hello) ?? .other
      }
    }
    return .incomplete
  }

  /// The length of the message with its header; 4 as long as that is unknown. Nil if it is no hello, or too long.
  private var messageEnd: Int? {
    let start = message.readerIndex
    guard message.getInteger(at: start, as: UInt8.self) == 1 else { return nil }
    guard let upper = message.getInteger(at: start + 1, as: UInt8.self),
      let lower = message.getInteger(at: start + 2, as: UInt16.self)
    else { return 4 }
    let end = 4 + Int(upper) << 16 + Int(lower)
    return end <= Self.limit ? end : nil
  }
}

extension ByteBuffer {
  fileprivate mutating func skip(_ count: Int) -> Bool { readSlice(length: count) != nil }

  fileprivate mutating func readUInt24() -> Int? {
    guard let upper = readInteger(as: UInt8.self), let lower = readInteger(as: UInt16.self) else { return nil }
    return Int(upper) << 16 + Int(lower)
  }

  /// Bytes after their length in one byte.
  fileprivate mutating func readPrefixed8() -> ByteBuffer? {
    guard let length = readInteger(as: UInt8.self) else { return nil }
    return readSlice(length: Int(length))
  }

  /// Bytes after their length in two bytes.
  fileprivate mutating func readPrefixed16() -> ByteBuffer? {
    guard let length = readInteger(as: UInt16.self) else { return nil }
    return readSlice(length: Int(length))
  }
}
