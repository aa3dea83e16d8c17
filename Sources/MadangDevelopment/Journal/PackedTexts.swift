import NIOCore

/// Texts one behind another on a sheet: thousands of requests are kept, and each would else be dozens of pieces of memory.
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
  private let piece: Sheet.Piece

  /// Stands for a text that is absent.
  private static let absent = UInt32.max

  /// What they take in memory, in bytes.
  var size: Int { piece.count }

  /// - Parameter texts: Adds the texts, the same ones each time it is called.
  init(on sheets: Sheets, _ texts: (_ add: (Text) -> Void) -> Void) {
    piece = sheets.write { room in
      var size = 0
      texts { text in
        let place = size
        size += 4 + text.count
        if size <= room.count { Self.write(text, to: .init(rebasing: room[place..<size])) }
      }
      return size
    }
  }

  /// - Parameter place: As long as the text and its length.
  private static func write(_ text: Text, to place: UnsafeMutableRawBufferPointer) {
    let count = place.count - 4
    let length = if case .absent = text { absent } else { UInt32(count) }
    place.storeBytes(of: length.littleEndian, as: UInt32.self)
    let place = UnsafeMutableRawBufferPointer(rebasing: place[4...])
    switch text {
    case .text(let text):
      // In one piece, but for strings of Objective-C.
      if text.utf8.withContiguousStorageIfAvailable({ place.copyMemory(from: .init($0)) }) == nil {
        place.copyBytes(from: text.utf8)
      }
    case .bytes(let bytes): bytes.withUnsafeBytes { place.copyMemory(from: $0) }
    case .buffer(let buffer): buffer.withUnsafeReadableBytes { place.copyMemory(from: $0) }
    case .absent: break
    }
  }

  var reader: Reader { Reader(rest: piece.bytes[...]) }

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
