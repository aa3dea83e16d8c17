/// Splits one long JSON array into short ones while its bytes arrive, so that only one page is in memory.
///
/// It only looks for the ends of elements; decoding a page checks whether they are valid JSON.
struct ArrayPages {
  private let size: Int
  private let maxElementBytes: Int
  private var state = State.before
  /// The current page, without its closing bracket.
  private var page: [UInt8] = []
  /// The number of complete elements in it.
  private var count = 0
  /// The offset of the current element in it.
  private var start = 0
  private var depth = 0
  private var isInString = false
  private var isEscaped = false

  private enum State { case before, inside, after }

  enum Failure: Error {
    case noArray
    case elementTooLarge
  }

  /// - Parameters:
  ///   - size: The number of elements of a page; the last one may have fewer.
  ///   - maxElementBytes: The largest accepted element, in bytes.
  init(size: Int, maxElementBytes: Int) {
    self.size = max(1, size)
    self.maxElementBytes = maxElementBytes
  }

  /// Processes the next bytes.
  /// - Returns: The pages that are now complete, each a JSON array of at least one element.
  mutating func add(_ bytes: some Sequence<UInt8>) throws(Failure) -> [[UInt8]] {
    var pages: [[UInt8]] = []
    for byte in bytes {
      switch state {
      case .inside:
        if try isPageEnd(byte) { pages.append(take()) }
      case .before where byte == UInt8(ascii: "["):
        state = .inside
        begin()
      case .before, .after:
        guard Self.isBlank(byte) else { throw .noArray }
      }
    }
    return pages
  }

  /// - Throws: ``Failure/noArray`` if the array has not ended.
  func finish() throws(Failure) {
    guard state == .after else { throw .noArray }
  }

  /// Processes a byte of the array. Returns whether it completes a page.
  private mutating func isPageEnd(_ byte: UInt8) throws(Failure) -> Bool {
    if isInString {
      if isEscaped {
        isEscaped = false
      } else if byte == UInt8(ascii: "\"") {
        isInString = false
      } else {
        isEscaped = byte == UInt8(ascii: "\\")
      }
    } else {
      switch byte {
      case UInt8(ascii: "\""): isInString = true
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "]") where depth == 0:
        state = .after
        return page.count > start || count > 0
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
      case UInt8(ascii: ",") where depth == 0:
        count += 1
        if count == size { return true }
        start = page.count + 1
      case _ where page.count == start && Self.isBlank(byte): return false
      default: break
      }
    }
    page.append(byte)
    guard page.count - start <= maxElementBytes else { throw .elementTooLarge }
    return false
  }

  private mutating func begin() {
    page = [UInt8(ascii: "[")]
    start = 1
    count = 0
  }

  private mutating func take() -> [UInt8] {
    defer { begin() }
    return page + [UInt8(ascii: "]")]
  }

  private static func isBlank(_ byte: UInt8) -> Bool { [0x20, 0x0A, 0x0D, 0x09].contains(byte) }
}
