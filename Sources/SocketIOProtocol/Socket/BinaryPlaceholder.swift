/// Replaces a binary attachment in the JSON of arguments: `{"_placeholder":true,"num":0}`. Values that are encoded and decoded may contain
/// one.
public struct BinaryPlaceholder: Codable, Equatable, Sendable {
  /// The attachment's index in ``SocketArguments/attachments``.
  public var number: Int

  /// - Parameter number: The index, unchecked. With ``SocketParser/json``, a recipient of an event with attachments, but without this one,
  ///   treats it as a parse error and closes the connection. In an event without attachments, the placeholder is an ordinary object.
  public init(_ number: Int) { self.number = number }

  /// The JSON of an argument.
  public var json: [UInt8] { Placeholders.text(number) }

  private enum CodingKeys: String, CodingKey {
    case isPlaceholder = "_placeholder"
    case number = "num"
  }

  /// - Throws: `DecodingError` if the value is not a placeholder.
  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    guard try fields.decode(Bool.self, forKey: .isPlaceholder) else {
      throw DecodingError.dataCorruptedError(
        forKey: .isPlaceholder, in: fields, debugDescription: "it is no placeholder of an attachment")
    }
    number = try fields.decode(Int.self, forKey: .number)
  }

  public func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: CodingKeys.self)
    try fields.encode(true, forKey: .isPlaceholder)
    try fields.encode(number, forKey: .number)
  }
}

extension SocketArguments {
  /// The attachment that a placeholder in ``values`` refers to. `nil` if there is none, for instance because the sender sent an object that
  /// only looks like a placeholder.
  public func attachment(for placeholder: BinaryPlaceholder) -> [UInt8]? {
    attachments.indices.contains(placeholder.number) ? attachments[placeholder.number] : nil
  }
}
