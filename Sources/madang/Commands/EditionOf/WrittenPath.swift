/// A path as a source writes it.
struct WrittenPath: Hashable, Sendable {
  enum Segment: Hashable, Sendable {
    case literal(String)
    /// A value that is filled in at run time.
    case hole

    var literal: String? { if case .literal(let text) = self { text } else { nil } }
  }

  let segments: [Segment]
  /// The scheme and host before the path; nil if the source writes neither.
  let origin: String?
  /// Whether the text has a slash, as only paths do.
  let hasSlash: Bool

  private static let mostSegments = 12
  private static let longestSegment = 64

  init(_ segments: [Segment]) { (self.segments, origin, hasSlash) = (segments, nil, true) }

  /// Nil if the text is not a path.
  init?(_ text: [UInt8]) {
    let isBlank = { (byte: UInt8) in " \t\r\n".utf8.contains(byte) }
    var rest = text.drop(while: isBlank)
    while rest.last.map(isBlank) == true { rest.removeLast() }
    var origin: String?
    if let scheme = Self.scheme(of: rest) {
      let end = rest.dropFirst(scheme).firstIndex { Self.endsHost($0) } ?? rest.endIndex
      origin = String(decoding: rest[..<end], as: UTF8.self)
      rest = rest[end...]
    }
    rest = rest.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    hasSlash = rest.contains(UInt8(ascii: "/"))
    let parts = rest.split(separator: UInt8(ascii: "/"))
    guard parts.count <= Self.mostSegments else { return nil }
    var segments: [Segment] = []
    for part in parts {
      guard let segment = Self.segment(part) else { return nil }
      segments.append(segment)
    }
    (self.segments, self.origin) = (segments, origin)
  }

  /// The path without the values before it, such as a base URL.
  var withoutStart: WrittenPath {
    WrittenPath(Array(segments.drop { $0 == .hole }), origin, hasSlash)
  }

  /// The path with values replaced by `{}`, for people.
  var text: String {
    segments.map { "/" + ($0.literal ?? "{}") }.joined()
  }

  /// This path behind another one.
  func behind(_ base: WrittenPath) -> WrittenPath { WrittenPath(base.segments + segments, base.origin, true) }

  private init(_ segments: [Segment], _ origin: String?, _ hasSlash: Bool) {
    (self.segments, self.origin, self.hasSlash) = (segments, origin, hasSlash)
  }

  /// The length of `http://`, `https://`, `ws://` or `wss://`; nil if the text begins with none of them.
  private static func scheme(of text: ArraySlice<UInt8>) -> Int? {
    ["http://", "https://", "ws://", "wss://"].first { text.starts(with: $0.utf8) }?.utf8.count
  }

  private static func endsHost(_ byte: UInt8) -> Bool {
    byte == SourceLexer.hole || "/?#".utf8.contains(byte)
  }

  /// Nil if a path has no such segment.
  private static func segment(_ part: ArraySlice<UInt8>) -> Segment? {
    guard part.count <= longestSegment else { return nil }
    // A value, perhaps with a prefix or an ending.
    if part.contains(SourceLexer.hole) || isParameter(part) { return .hole }
    let isLiteral = part.allSatisfy { SourceLexer.isOfWord($0) && $0 < 0x80 || "-.~".utf8.contains($0) }
    return isLiteral ? .literal(String(decoding: part, as: UTF8.self)) : nil
  }

  /// `{id}`, `<id>`, `:id` or a format such as `%@` and `%1$s`.
  private static func isParameter(_ part: ArraySlice<UInt8>) -> Bool {
    guard let first = part.first, let last = part.last, part.count > 1 else { return false }
    switch first {
    case UInt8(ascii: "{"): return last == UInt8(ascii: "}")
    case UInt8(ascii: "<"): return last == UInt8(ascii: ">")
    case UInt8(ascii: ":"): return part.dropFirst().allSatisfy(SourceLexer.isOfWord)
    case UInt8(ascii: "%"):
      return "@dsui".utf8.contains(last) && part.dropFirst().dropLast().allSatisfy { "0123456789$lq".utf8.contains($0) }
    default: return false
    }
  }
}
