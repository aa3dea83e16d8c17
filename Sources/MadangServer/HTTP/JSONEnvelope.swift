import MadangAPI

/// The JSON around lists that are written page by page: the bytes before the first list, between lists and after the last one.
struct JSONEnvelope: Sendable {
  /// One more than there are lists.
  let pieces: [[UInt8]]

  static let array = JSONEnvelope(pieces: [[UInt8(ascii: "[")], [UInt8(ascii: "]")]])

  private init(pieces: [[UInt8]]) { self.pieces = pieces }

  /// An object whose last keys hold the lists, given empty.
  init(_ object: some Encodable, lists: Int = 1) throws {
    let json = try WireEncoder.encode(object)
    var (pieces, end, searched) = ([[UInt8]](), json.count, json.count)
    for _ in 0..<lists {
      // From the first list on there is no text but keys of ours, which have no bracket.
      guard let bracket = json[..<searched].lastIndex(of: UInt8(ascii: "[")), bracket + 1 < json.count,
        json[bracket + 1] == UInt8(ascii: "]")
      else { preconditionFailure("the lists are the object's last keys, and empty") }
      pieces.insert(Array(json[(bracket + 1)..<end]), at: 0)
      (end, searched) = (bracket + 1, bracket)
    }
    self.pieces = [Array(json[..<end])] + pieces
  }
}
