extension EnginePayload {
  private static let stringMark: UInt8 = 0
  private static let binaryMark: UInt8 = 1
  private static let lengthEnd: UInt8 = 0xff

  /// The packets in the binary form of revision 3: a mark (0 text, 1 binary), the length in bytes as decimal digits of one byte each,
  /// `0xff`, and the packet.
  public static func encodeBinary(_ packets: [EnginePacket]) -> [UInt8] {
    var payload: [UInt8] = []
    for packet in packets {
      let body =
        switch EngineFrame(packet, .v3) {
        case .text(let text): text
        case .binary(let bytes): bytes
        }
      payload.append(packet.isBinary ? binaryMark : stringMark)
      payload += String(body.count).utf8.map { $0 - 0x30 }
      payload.append(lengthEnd)
      payload += body
    }
    return payload
  }

  /// Parses the binary form of a revision 3 payload.
  public static func decodeBinary(_ payload: [UInt8]) throws(EngineParseError) -> [EnginePacket] {
    var rest = payload[...]
    guard !rest.isEmpty else { throw .emptyPacket }
    var packets: [EnginePacket] = []
    while let mark = rest.popFirst() {
      guard mark == stringMark || mark == binaryMark else { throw .unknownType }
      var length = 0
      var digits = 0
      while let digit = rest.first, digit != lengthEnd {
        guard digit < 10, digits < 9 else { throw .badLength }
        length = length * 10 + Int(digit)
        digits += 1
        rest.removeFirst()
      }
      guard digits > 0, rest.popFirst() != nil, length <= rest.count else { throw .badLength }
      let body = Array(rest.prefix(length))
      packets.append(try EnginePacket(frame: mark == binaryMark ? .binary(body) : .text(body), .v3))
      rest = rest.dropFirst(length)
    }
    return packets
  }
}
