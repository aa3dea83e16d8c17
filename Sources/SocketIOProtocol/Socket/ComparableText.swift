extension StringProtocol {
  /// Whether comparing, hashing or normalising the text costs no more than its length: one letter may carry any number of
  /// marks, whose canonical order takes the square of their number to find. So each character may have 256 bytes; those of
  /// languages and emoji have 40 at most. Unicode calls text with fewer than 31 marks in a row stream-safe (UAX #15).
  package var isCheapToCompare: Bool {
    utf8.count <= 256 || utf8.allSatisfy { $0 < 0x80 } || allSatisfy { $0.utf8.count <= 256 }
  }
}
