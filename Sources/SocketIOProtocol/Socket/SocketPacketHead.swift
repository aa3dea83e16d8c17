/// The parsed text of a packet: everything that is known before its attachments arrive.
struct SocketPacketHead {
  var packet: SocketPacket
  /// The number of attachments that follow.
  var attachmentCount: Int
  /// Whether the type is one of the two binary ones.
  var isBinary: Bool

  init(_ text: [UInt8], maxAttachments: Int, maxValues: Int = .max) throws(SocketParseError) {
    var rest = text[...]
    guard let digit = rest.popFirst(), (0x30...0x36).contains(digit) else { throw .unknownType }
    isBinary = digit >= 0x35
    guard let kind = SocketPacket.Kind(rawValue: digit - (isBinary ? 0x33 : 0x30)) else { throw .unknownType }
    attachmentCount = isBinary ? try Self.takeAttachmentCount(&rest, max: maxAttachments) : 0
    let namespace = try Self.takeNamespace(&rest)
    let id = try Self.takeID(&rest)
    packet = SocketPacket(kind, namespace: namespace, id: id, payload: Array(rest))
    try validatePayload(maxValues)
  }

  private static func takeAttachmentCount(
    _ rest: inout ArraySlice<UInt8>, max: Int
  ) throws(SocketParseError) -> Int {
    guard let dash = rest.prefix(11).firstIndex(of: UInt8(ascii: "-")),
      rest[..<dash].allSatisfy({ (0x30...0x39).contains($0) })
    else { throw .badAttachmentCount }
    // A missing count means zero, as in the reference server.
    let count = Int(String(decoding: rest[..<dash], as: UTF8.self)) ?? 0
    guard count <= max else { throw .tooManyAttachments }
    rest = rest[(dash + 1)...]
    return count
  }

  /// The comma is optional if nothing follows the namespace.
  private static func takeNamespace(_ rest: inout ArraySlice<UInt8>) throws(SocketParseError) -> String {
    guard rest.first == UInt8(ascii: "/") else { return SocketPacket.mainNamespace }
    let end = rest.firstIndex(of: UInt8(ascii: ",")) ?? rest.endIndex
    let name = String(decoding: rest[..<end], as: UTF8.self)
    guard name.isCheapToCompare else { throw .badNamespace }
    rest = rest[end...].dropFirst()
    return name
  }

  private static func takeID(_ rest: inout ArraySlice<UInt8>) throws(SocketParseError) -> AckID? {
    let digits = rest.prefix { (0x30...0x39).contains($0) }
    guard !digits.isEmpty else { return nil }
    guard let id = AckID(digits: digits) else { throw .badID }
    rest = rest[digits.endIndex...]
    return id
  }

  private func validatePayload(_ maxValues: Int) throws(SocketParseError) {
    guard !packet.payload.isEmpty else { return }
    var scanner = JSONScanner(packet.payload)
    guard scanner.skipOnlyValue(within: .init(values: maxValues)) else {
      throw scanner.valueCount > maxValues ? .tooManyValues : .badPayload
    }
  }
}

extension SocketPacket {
  /// Parses the text of a packet, without the attachments that follow it; `nil` if it is invalid.
  public init?(text: [UInt8], maxAttachments: Int) {
    guard let head = try? SocketPacketHead(text, maxAttachments: maxAttachments) else { return nil }
    self = head.packet
  }
}
