/// The arguments of an event or of an acknowledgement, as raw JSON.
public struct SocketArguments: Equatable, Sendable {
  /// The arguments, each one JSON text.
  public var values: [[UInt8]]
  /// The attachments that placeholders in `values` refer to, in order.
  public var attachments: [[UInt8]]

  public init(_ values: [[UInt8]] = [], attachments: [[UInt8]] = []) {
    self.values = values
    self.attachments = attachments
  }

  /// The arguments in the form between the brackets of a payload.
  public var joined: [UInt8] {
    Array(values.joined(separator: [UInt8(ascii: ",")]))
  }

  /// Only the arguments in `range`, with their attachments, renumbered.
  public subscript(range: some RangeExpression<Int>) -> SocketArguments {
    let kept = Array(values[range.relative(to: values)])
    guard !attachments.isEmpty else { return SocketArguments(kept) }
    var packet = SocketPacket(.event, payload: SocketArguments(kept).joined, attachments: attachments)
    // The whole list was validated when it was parsed, so neither step can fail.
    try? Placeholders.renumber(&packet, limit: attachments.count)
    let array = [UInt8(ascii: "[")] + packet.payload + [UInt8(ascii: "]")]
    return SocketArguments(payload: array, attachments: packet.attachments) ?? SocketArguments(kept)
  }

  /// Parses a payload, which must be an array.
  init?(payload: [UInt8], attachments: [[UInt8]]) {
    guard let elements = JSONScanner.elements(ofArray: payload) else { return nil }
    self.init(elements.map { Array(payload[$0]) }, attachments: attachments)
  }
}

/// An event as it arrived.
public struct SocketEvent: Equatable, Sendable {
  /// Names that an application may not use, because they have another meaning for every client.
  public static let reservedNames: Set<String> = [
    "connect", "connect_error", "disconnect", "disconnecting", "newListener", "removeListener",
  ]

  private static let maxReservedLength = reservedNames.map(\.utf8.count).max() ?? 0

  /// Whether the name is one of ``reservedNames``.
  public static func isReserved(_ name: String) -> Bool {
    // Hashing a longer name may take the square of its length.
    name.utf8.count <= maxReservedLength && reservedNames.contains(name)
  }

  public var name: String
  public var arguments: SocketArguments
  /// Set if the sender expects an acknowledgement.
  public var id: AckID?

  public init(name: String, arguments: SocketArguments, id: AckID? = nil) {
    self.name = name
    self.arguments = arguments
    self.id = id
  }

  /// Parses an event packet: a non-empty array whose first item is a string or a number.
  ///
  /// - Returns: `nil` for any other payload, for a reserved name, and for a name with a character of more than 256 bytes, which takes too
  ///   long to compare.
  public init?(_ packet: SocketPacket) {
    guard packet.kind == .event,
      let all = SocketArguments(payload: packet.payload, attachments: packet.attachments),
      let first = all.values.first, let name = Self.name(first), name.isCheapToCompare,
      !Self.isReserved(name)
    else { return nil }
    let arguments = SocketArguments(Array(all.values.dropFirst()), attachments: all.attachments)
    self.init(name: name, arguments: arguments, id: packet.id)
  }

  private static func name(_ json: [UInt8]) -> String? {
    switch json.first {
    case UInt8(ascii: "\""): return JSONText.string(json[...])
    case UInt8(ascii: "-"), .some(0x30...0x39): return String(decoding: json, as: UTF8.self)
    default: return nil
    }
  }
}

extension SocketArguments {
  /// Parses the arguments of an acknowledgement packet.
  public init?(ack packet: SocketPacket) {
    guard packet.kind == .ack else { return nil }
    self.init(payload: packet.payload, attachments: packet.attachments)
  }
}
