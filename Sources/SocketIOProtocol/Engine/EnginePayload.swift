/// The body of a long-polling answer or POST: a sequence of packets.
public enum EnginePayload {
  /// Separates the packets of a revision 4 payload.
  public static let separator: UInt8 = 0x1e

  /// Whether revision 3 packets need the binary form, because some are binary.
  public static func needsBinaryForm(_ packets: [EnginePacket]) -> Bool {
    packets.contains(where: \.isBinary)
  }

  /// The packets as a text payload of the revision.
  public static func encode(_ packets: [EnginePacket], _ revision: EngineRevision) -> [UInt8] {
    var payload: [UInt8] = []
    for (index, packet) in packets.enumerated() {
      let text = packet.encodedText(revision)
      switch revision {
      case .v4:
        if index > 0 { payload.append(separator) }
      case .v3:
        payload += Array(String(utf16Length(of: text)).utf8)
        payload.append(UInt8(ascii: ":"))
      }
      payload += text
    }
    return payload
  }

  /// Parses a text payload. An empty body, a trailing separator and more packets than `maxPackets` are errors.
  public static func decode(
    _ payload: [UInt8], _ revision: EngineRevision, maxPackets: Int = .max
  ) throws(EngineParseError) -> [EnginePacket] {
    switch revision {
    case .v4: try decodeSeparated(payload, maxPackets)
    case .v3: try decodeLengthPrefixed(payload, maxPackets)
    }
  }

  private static func decodeSeparated(
    _ payload: [UInt8], _ maxPackets: Int
  ) throws(EngineParseError) -> [EnginePacket] {
    var packets: [EnginePacket] = []
    // One part more than allowed is enough to detect it.
    let parts = payload.split(separator: separator, maxSplits: maxPackets, omittingEmptySubsequences: false)
    guard parts.count <= maxPackets else { throw .tooManyPackets }
    for part in parts {
      packets.append(try EnginePacket(text: part, .v4))
    }
    return packets
  }

  private static func decodeLengthPrefixed(
    _ payload: [UInt8], _ maxPackets: Int
  ) throws(EngineParseError) -> [EnginePacket] {
    var rest = payload[...]
    guard !rest.isEmpty else { throw .emptyPacket }
    var packets: [EnginePacket] = []
    while !rest.isEmpty {
      guard packets.count < maxPackets else { throw .tooManyPackets }
      var length = 0
      var digits = 0
      while let digit = rest.first, digit != UInt8(ascii: ":") {
        guard (0x30...0x39).contains(digit), digits < 9 else { throw .badLength }
        length = length * 10 + Int(digit - 0x30)
        digits += 1
        rest.removeFirst()
      }
      guard digits > 0, rest.popFirst() != nil else { throw .badLength }
      let end = try endOfText(rest, utf16Length: length)
      packets.append(try EnginePacket(text: rest[..<end], .v3))
      rest = rest[end...]
    }
    return packets
  }

  /// Revision 3 counts the UTF-16 code units of a packet: four-byte UTF-8 characters count as two.
  private static func utf16Length(of text: [UInt8]) -> Int {
    text.reduce(0) { $0 + utf16Units(startedBy: $1) }
  }

  private static func utf16Units(startedBy byte: UInt8) -> Int {
    if byte & 0xc0 == 0x80 { return 0 }
    return byte >= 0xf0 ? 2 : 1
  }

  private static func endOfText(_ text: ArraySlice<UInt8>, utf16Length: Int) throws(EngineParseError) -> Int {
    var units = 0
    var index = text.startIndex
    while index < text.endIndex {
      let more = utf16Units(startedBy: text[index])
      if more > 0, units >= utf16Length { break }
      units += more
      index += 1
    }
    guard units == utf16Length else { throw .badLength }
    return index
  }
}
