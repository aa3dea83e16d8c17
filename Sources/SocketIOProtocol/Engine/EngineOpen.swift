/// The content of the open packet, which the server sends to a new client.
public struct EngineOpen: Equatable, Sendable {
  public var sid: String
  /// The transports the client may upgrade to.
  public var upgrades: [String]
  public var pingInterval: Milliseconds
  public var pingTimeout: Milliseconds
  /// The largest message that the server accepts, in bytes. Old servers do not send it.
  public var maxPayload: Int?

  public init(
    sid: String, upgrades: [String], pingInterval: Milliseconds, pingTimeout: Milliseconds, maxPayload: Int?
  ) {
    self.sid = sid
    self.upgrades = upgrades
    self.pingInterval = pingInterval
    self.pingTimeout = pingTimeout
    self.maxPayload = maxPayload
  }

  /// The open packet, with exactly the keys of the protocol in their order.
  public var packet: EnginePacket {
    var json = #"{"sid":"# + JSONText.quoted(sid)
    json += #","upgrades":["# + upgrades.map(JSONText.quoted).joined(separator: ",") + "]"
    json += #","pingInterval":\#(pingInterval),"pingTimeout":\#(pingTimeout)"#
    if let maxPayload { json += #","maxPayload":\#(maxPayload)"# }
    return EnginePacket(.open, Array((json + "}").utf8))
  }

  /// The largest accepted interval or timeout, in milliseconds: over thirty years. It keeps sums with the time of day from overflowing.
  static let longestTime = 1 << 40

  /// Parses the data of an open packet; unknown keys are ignored.
  public init(data: [UInt8]) throws(EngineParseError) {
    guard let members = JSONScanner.members(ofObject: data) else { throw .badHandshake }
    var upgrades: [String] = []
    var fields: [String: ArraySlice<UInt8>] = [:]
    for member in members { fields[member.key] = data[member.value] }
    guard let sid = fields["sid"].flatMap(JSONText.string), !sid.isEmpty,
      let interval = fields["pingInterval"].flatMap(JSONText.integer), interval > 0,
      let timeout = fields["pingTimeout"].flatMap(JSONText.integer), timeout > 0
    else { throw .badHandshake }
    if let list = fields["upgrades"] {
      let array = Array(list)
      guard let elements = JSONScanner.elements(ofArray: array) else { throw .badHandshake }
      upgrades = elements.compactMap { JSONText.string(array[$0]) }
    }
    self.init(
      sid: sid, upgrades: upgrades, pingInterval: Milliseconds(min(interval, Self.longestTime)),
      pingTimeout: Milliseconds(min(timeout, Self.longestTime)),
      maxPayload: fields["maxPayload"].flatMap(JSONText.integer))
  }
}
