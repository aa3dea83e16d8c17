/// Stands in the JSON of arguments in the place of a binary attachment: `{"_placeholder":true,"num":0}`. Values that are encoded
/// and decoded may hold one.
public struct BinaryPlaceholder: Codable, Equatable, Sendable {
  /// The attachment's index in ``SocketArguments/attachments``.
  public var number: Int

  /// - Parameter number: Nothing checks it. With ``SocketParser/json``, whoever gets an event that has attachments, but none of this number,
  ///   takes it for a parse error and closes the connection; without any attachments the placeholder is an object like any other.
  public init(_ number: Int) { self.number = number }

  /// As an argument.
  public var json: [UInt8] { Placeholders.text(number) }

  private enum CodingKeys: String, CodingKey {
    case isPlaceholder = "_placeholder"
    case number = "num"
  }

  /// - Throws: `DecodingError` for anything else than a placeholder.
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
  /// The attachment that a placeholder among ``values`` stands for. `nil` if there is none, as where somebody sent what looks like a
  /// placeholder without an attachment.
  public func attachment(for placeholder: BinaryPlaceholder) -> [UInt8]? {
    attachments.indices.contains(placeholder.number) ? attachments[placeholder.number] : nil
  }
}
