import NIOCore

/// Texts, or other bytes, one behind another on a sheet: thousands of requests are kept, and each would else be dozens of pieces of memory.
struct PackedTexts: Sendable {
  /// Each text behind its length, which takes four bytes.
  private let piece: Sheet.Piece

  /// Stands for a text that is absent.
  private static let absent = UInt32.max

  /// What they take in memory, in bytes.
  var size: Int { piece.count }

  /// - Parameter texts: Adds the texts, the same ones each time it is called.
  init(on sheets: inout Sheets, _ texts: (inout Writer) -> Void) {
    piece = sheets.write { room in
      var writer = Writer(room: room)
      texts(&writer)
      return writer.size
    }
  }

  /// Writes texts as far as there is room, and counts them all.
  struct Writer {
    fileprivate let room: UnsafeMutableRawBufferPointer
    fileprivate var size = 0

    fileprivate init(room: UnsafeMutableRawBufferPointer) { self.room = room }

    mutating func add(_ text: String) {
      // `withUTF8` would copy the string.
      let isAdded: Void? = text.utf8.withContiguousStorageIfAvailable { add(UnsafeRawBufferPointer($0)) }
      if isAdded == nil { add(Array(text.utf8)) }
    }

    mutating func add(_ bytes: [UInt8]) { bytes.withUnsafeBytes { add($0) } }

    /// The beginning of a buffer, so many bytes at most.
    mutating func add(_ buffer: ByteBuffer, atMost limit: Int) {
      buffer.withUnsafeReadableBytes { bytes in
        add(UnsafeRawBufferPointer(start: bytes.baseAddress, count: min(bytes.count, limit)))
      }
    }

    mutating func addAbsent() { put(UnsafeRawBufferPointer(start: nil, count: 0), length: absent) }

    mutating func add(_ bytes: UnsafeRawBufferPointer) { put(bytes, length: UInt32(bytes.count)) }

    /// Counts the bytes; writes them, behind their length, only if all of them fit.
    @inline(__always)
    private mutating func put(_ bytes: UnsafeRawBufferPointer, length: UInt32) {
      let start = size
      size += 4 + bytes.count
      guard size <= room.count, let place = room.baseAddress?.advanced(by: start) else { return }
      place.storeBytes(of: length.littleEndian, as: UInt32.self)
      if let first = bytes.baseAddress { (place + 4).copyMemory(from: first, byteCount: bytes.count) }
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
