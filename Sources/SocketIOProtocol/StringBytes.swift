// Every request calls these. Iterating `utf8` takes about 30 instructions per byte, iterating contiguous memory 3.
extension String {
  /// The first index of `byte`, which must be ASCII; nil if there is none.
  package func firstIndex(ofByte byte: UInt8) -> Index? {
    withBytes { $0.firstIndex(of: byte) }.map { utf8.index(startIndex, offsetBy: $0) }
  }

  /// Whether both have the same bytes. It does not compare characters, because a client may send some that are expensive to compare.
  package func hasBytes(of other: String) -> Bool {
    utf8.count == other.utf8.count && withBytes { mine in other.withBytes { mine.elementsEqual($0) } }
  }

  package var isASCII: Bool { withBytes { $0.allSatisfy { $0 < 0x80 } } }

  /// Passes the bytes in contiguous memory.
  package func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    var copy = self
    return copy.withUTF8(body)
  }
}
