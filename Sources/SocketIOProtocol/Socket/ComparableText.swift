extension StringProtocol {
  /// Whether comparing, hashing or normalising the text costs no more than its length: one letter may carry any number of
  /// marks, whose canonical order takes the square of their number to find. So each character may have 256 bytes; those of
  /// languages and emoji have 40 at most. Unicode calls text with fewer than 31 marks in a row stream-safe (UAX #15).
  package var isCheapToCompare: Bool {
    utf8.count <= 256 || utf8.allSatisfy { $0 < 0x80 } || allSatisfy { $0.utf8.count <= 256 }
  }
}

// What every request is asked. To walk through `utf8` takes some 30 instructions for a byte; through its memory, 3.
extension String {
  /// Where a byte of ASCII is first; nil if it is nowhere.
  package func firstIndex(ofByte byte: UInt8) -> Index? {
    withBytes { $0.firstIndex(of: byte) }.map { utf8.index(startIndex, offsetBy: $0) }
  }

  /// Whether both are the same bytes. Characters are not compared: what a client writes may have some that are expensive to compare.
  package func hasBytes(of other: String) -> Bool {
    utf8.count == other.utf8.count && withBytes { mine in other.withBytes { mine.elementsEqual($0) } }
  }

  package var isASCII: Bool { withBytes { $0.allSatisfy { $0 < 0x80 } } }

  private func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    if let result = utf8.withContiguousStorageIfAvailable(body) { return result }
    // A string of Objective-C.
    var copy = self
    return copy.withUTF8(body)
  }
}
