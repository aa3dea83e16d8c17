import SocketIOProtocol

/// The payload of a cluster's `NOTIFY`: the message itself, or the place of a large one.
enum NotificationPayload: Equatable {
  case message([UInt8])
  case attachment(id: Int64)

  /// The longest payload that is sent. PostgreSQL accepts fewer than 8,000 bytes.
  static let maxLength = 7_500

  /// Whether a message is small enough for a payload.
  static func fits(_ message: [UInt8]) -> Bool {
    let prefix = 22
    return (message.count + 2) / 3 * 4 + prefix <= maxLength
  }

  /// The payload of a message.
  ///
  /// - Parameter number: A different number for each message, because PostgreSQL delivers equal payloads of a transaction only once.
  static func text(for message: [UInt8], number: UInt64) -> [UInt8] {
    var text = Array("m\(number):".utf8)
    Base64.encode(message, into: &text)
    return text
  }

  /// `nil` for a payload that no server of this version sends.
  init?(_ text: [UInt8]) {
    switch text.first {
    case UInt8(ascii: "m"):
      guard let colon = text.firstIndex(of: UInt8(ascii: ":")), let message = Base64.decode(text[(colon + 1)...]) else {
        return nil
      }
      self = .message(message)
    case UInt8(ascii: "a"):
      guard let id = Int64(String(decoding: text.dropFirst(), as: UTF8.self)) else { return nil }
      self = .attachment(id: id)
    default: return nil
    }
  }
}
