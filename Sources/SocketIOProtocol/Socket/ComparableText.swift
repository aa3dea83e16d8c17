extension StringProtocol {
  /// Whether comparing, hashing or normalising the text costs no more than its length. One letter may have any number of combining marks,
  /// and the time to sort them grows with the square of their number. So a character may have up to 256 bytes; those of real languages and
  /// emoji have 40 at most. Unicode calls text with fewer than 31 marks in a row stream-safe (UAX #15).
  public var isCheapToCompare: Bool {
    utf8.count <= 256 || utf8.allSatisfy { $0 < 0x80 } || allSatisfy { $0.utf8.count <= 256 }
  }
}
