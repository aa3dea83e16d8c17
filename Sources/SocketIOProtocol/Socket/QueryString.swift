/// The items of a URL query, percent-decoded. If a key occurs twice, the last one counts. Items beyond the first ``maxItems`` are left out,
/// and so are items whose name has a character of more than 256 bytes.
public struct QueryString: Equatable, Sendable {
  public struct Item: Equatable, Sendable {
    public var name: String
    public var value: String
  }

  /// The most items that are parsed, as in Node's `querystring`.
  public static let maxItems = 1000

  public private(set) var items: [Item] = []

  /// - Parameter text: The part after the question mark.
  public init(_ text: Substring) {
    var places: [String: Int] = [:]
    let parts = text.utf8.split(separator: UInt8(ascii: "&"), maxSplits: Self.maxItems).prefix(Self.maxItems)
    for part in parts {
      let pair = part.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      let name = Self.decoded(pair[0])
      guard name.isCheapToCompare else { continue }
      let value = pair.count > 1 ? Self.decoded(pair[1]) : ""
      if let place = places[name] {
        items[place].value = value
      } else {
        places[name] = items.count
        items.append(Item(name: name, value: value))
      }
    }
  }

  public subscript(name: String) -> String? {
    items.first { $0.name == name }?.value
  }

  /// The items as a JSON object of strings.
  public var jsonObject: [UInt8] {
    let members = items.map { JSONText.quoted($0.name) + ":" + JSONText.quoted($0.value) }
    return Array("{\(members.joined(separator: ","))}".utf8)
  }

  private static func decoded(_ text: Substring.UTF8View) -> String {
    var bytes: [UInt8] = []
    var rest = text
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), let decoded = hexPair(rest.prefix(2)) {
        bytes.append(decoded)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func hexPair(_ digits: Substring.UTF8View) -> UInt8? {
    guard digits.count == 2, let high = digits.first.flatMap(JSONText.hexValue),
      let low = digits.last.flatMap(JSONText.hexValue)
    else { return nil }
    return UInt8(high << 4 | low)
  }
}
