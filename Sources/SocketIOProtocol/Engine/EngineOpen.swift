/// The contents of the open packet: what the server tells a client that connects.
public struct EngineOpen: Equatable, Sendable {
  public var sid: String
  /// The transports the client may upgrade to.
  public var upgrades: [String]
  public var pingInterval: Milliseconds
  public var pingTimeout: Milliseconds
  /// The largest message the server takes, in bytes. Old servers do not tell.
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

  /// The open packet with exactly the keys of the protocol, in its order.
  public var packet: EnginePacket {
    var json = #"{"sid":"# + JSONText.quoted(sid)
    json += #","upgrades":["# + upgrades.map(JSONText.quoted).joined(separator: ",") + "]"
    json += #","pingInterval":\#(pingInterval),"pingTimeout":\#(pingTimeout)"#
    if let maxPayload { json += #","maxPayload":\#(maxPayload)"# }
    return EnginePacket(.open, Array((json + "}").utf8))
  }

  /// The longest interval or time-out that is taken as it is, in milliseconds: over thirty years. Sums of them and the
  /// time of day stay numbers.
  static let longestTime = 1 << 40

  /// Reads the data of an open packet; unknown keys are ignored.
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
