import NIOCore

/// Texts one behind another in one piece of memory: thousands of requests are kept, and each would else be dozens of pieces.
struct PackedTexts: Sendable {
  enum Text {
    case text(String)
    case bytes([UInt8])
    case buffer(ByteBuffer)
    case absent

    fileprivate var count: Int {
      switch self {
      case .text(let text): text.utf8.count
      case .bytes(let bytes): bytes.count
      case .buffer(let buffer): buffer.readableBytes
      case .absent: 0
      }
    }
  }

  /// Each text behind its length, which takes four bytes.
  private let bytes: [UInt8]

  /// Stands for a text that is absent.
  private static let absent = UInt32.max

  /// What they take in memory, in bytes.
  var size: Int { bytes.count }

  /// - Parameter texts: Adds the texts, the same ones each time: it is called to count their bytes, then to write them.
  init(_ texts: (_ add: (Text) -> Void) -> Void) {
    var size = 0
    texts { size += 4 + $0.count }
    bytes = Array(unsafeUninitializedCapacity: size) { memory, count in
      var rest = UnsafeMutableRawBufferPointer(memory)
      texts { Self.write($0, to: &rest) }
      count = size
    }
  }

  private static func write(_ text: Text, to rest: inout UnsafeMutableRawBufferPointer) {
    let count = text.count
    let length = if case .absent = text { absent } else { UInt32(count) }
    rest.storeBytes(of: length.littleEndian, as: UInt32.self)
    let place = UnsafeMutableRawBufferPointer(rebasing: rest[4..<4 + count])
    rest = UnsafeMutableRawBufferPointer(rebasing: rest[(4 + count)...])
    switch text {
    case .text(var text): text.withUTF8 { place.copyMemory(from: UnsafeRawBufferPointer($0)) }
    case .bytes(let bytes): bytes.withUnsafeBytes { place.copyMemory(from: $0) }
    case .buffer(let buffer): buffer.withUnsafeReadableBytes { place.copyMemory(from: $0) }
    case .absent: break
    }
  }

  var reader: Reader { Reader(rest: bytes[...]) }

  /// Reads the texts in their order.
  struct Reader {
    fileprivate var rest: ArraySlice<UInt8>

    /// The next text; nil if it is absent, or was the last.
    mutating func next() -> [UInt8]? {
      guard !rest.isEmpty else { return nil }
      let number = rest.prefix(4).reversed().reduce(0) { $0 << 8 | UInt32($1) }
      rest = rest.dropFirst(4)
      guard number != PackedTexts.absent else { return nil }
      defer { rest = rest.dropFirst(Int(number)) }
      return Array(rest.prefix(Int(number)))
    }

    mutating func text() -> String? { next().map { String(decoding: $0, as: UTF8.self) } }
  }
}
