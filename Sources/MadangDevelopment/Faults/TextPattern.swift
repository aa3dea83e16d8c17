/// A text in which each `*` stands for any text, none included. Compared byte by byte.
struct TextPattern: Sendable {
  private let pattern: [UInt8]

  init(_ text: String) { pattern = Array(text.utf8) }

  func matches(_ text: some StringProtocol) -> Bool {
    let text = Array(text.utf8)
    var (read, place) = (0, 0)
    /// Where to go on, with one byte more for the last star, if the rest does not match.
    var retry: (place: Int, read: Int)?
    while read < text.count {
      if place < pattern.count, pattern[place] == UInt8(ascii: "*") {
        retry = (place + 1, read)
        place += 1
      } else if place < pattern.count, pattern[place] == text[read] {
        place += 1
        read += 1
      } else if let last = retry {
        retry = (last.place, last.read + 1)
        (place, read) = (last.place, last.read + 1)
      } else {
        return false
      }
    }
    return pattern[place...].allSatisfy { $0 == UInt8(ascii: "*") }
  }
}
