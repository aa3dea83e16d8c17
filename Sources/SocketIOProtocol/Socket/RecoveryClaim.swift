/// A returning client's proof in its CONNECT that it may have its socket back: `pid`, and `offset` if it received any event.
public struct RecoveryClaim: Equatable, Sendable {
  /// The query item of the handshake by which a client asks for numbered events before it has a private id.
  public static let queryItem = "recovery"

  public var pid: String
  public var offset: String?

  public init(pid: String, offset: String?) {
    self.pid = pid
    self.offset = offset
  }

  /// Parses the claim in an auth payload; `nil` if there is none.
  public init?(auth: [UInt8]) {
    guard !auth.isEmpty, let members = JSONScanner.members(ofObject: auth) else { return nil }
    func text(_ key: String) -> String? {
      members.last { $0.key == key }.flatMap { JSONText.string(auth[$0.value]) }
    }
    guard let pid = text("pid"), !pid.isEmpty, pid.isCheapToCompare else { return nil }
    self.init(pid: pid, offset: text("offset"))
  }

  /// The auth payload with the claim in front, as the reference client sends it. `auth` is a JSON object or empty.
  public func added(to auth: [UInt8]) -> [UInt8] {
    var text = #"{"pid":"# + JSONText.quoted(pid)
    if let offset { text += #","offset":"# + JSONText.quoted(offset) }
    var rest = auth.drop { $0 != UInt8(ascii: "{") }.dropFirst()
    rest = rest.drop { $0 <= 0x20 }
    guard let first = rest.first, first != UInt8(ascii: "}") else { return Array((text + "}").utf8) }
    return Array((text + ",").utf8) + rest
  }

  /// The text form of an event's number.
  public static func offset(_ number: UInt64) -> String { String(number, radix: 36) }

  /// The number of an offset; `nil` if this server cannot have made it.
  public static func number(offset: String) -> UInt64? {
    guard let number = UInt64(offset, radix: 36), Self.offset(number) == offset else { return nil }
    return number
  }
}
