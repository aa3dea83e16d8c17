/// A notification for one device.
package struct PushNotification: Sendable {
  package let device: PushDevice
  /// JSON in the form of Apple's service.
  package let payload: [UInt8]
  /// The UUID of the chat.
  package let chat: String
  /// When the chat was posted, in milliseconds since 1970.
  package let postedAt: Int64
  /// How often it was delayed. A delay after which it may have been delivered counts more.
  package var delays = 0
  /// How long its provider asked to wait before the next attempt.
  package var pause: Duration = .zero

  package init(device: PushDevice, payload: [UInt8], chat: String, postedAt: Int64) {
    (self.device, self.payload, self.chat, self.postedAt) = (device, payload, chat, postedAt)
  }
}

extension PushNotification {
  /// A notification that is delivered to no device and contains nothing of a chat. With it a provider can be tested if it fails at another
  /// notification.
  package static func trial(like other: PushNotification) -> PushNotification {
    PushNotification(
      device: PushDevice(
        token: other.device.isApple ? PushDevice.noAppleToken : "madang", edition: other.device.edition, person: 0,
        registeredAt: 0),
      payload: Array(#"{"aps":{}}"#.utf8), chat: other.chat,
      postedAt: other.postedAt)
  }
}

extension PushDevice {
  /// A token that belongs to no device. APNs cannot examine a notification without delivering it, but reports that this token is invalid.
  package static let noAppleToken = String(repeating: "0", count: 64)
  /// Possible numbers of digits in a token. Apple does not specify the number and may change it.
  private static let appleDigits = 64...200

  /// Whether the token has the form of APNs. Tokens of Firebase contain other characters too.
  package var isApple: Bool {
    Self.appleDigits.contains(token.utf8.count) && token.utf8.count.isMultiple(of: 2)
      && token.unicodeScalars.allSatisfy { $0.properties.isASCIIHexDigit }
  }
}

/// Delivers notifications to devices.
package protocol PushSender: Sendable {
  /// Throws ``PushFailure`` if the provider received this notification and did not confirm it. Any other error says nothing about the
  /// notification: the provider was not reached, or does not admit this server. Takes 50 seconds at most.
  ///
  /// - Parameter isTrial: Whether the provider only examines the notification without delivering it.
  func send(_ notification: PushNotification, isTrial: Bool) async throws
}

/// Why a provider did not accept a notification.
package enum PushFailure: Error {
  /// It will never accept this notification. This is normal: clients may send invalid tokens.
  case refused(status: Int)
  /// It will never accept a notification for this device: the token is no longer registered, or never was.
  case unregistered(status: Int)
  /// It may accept the notification later: this device gets too many, or an error occurred.
  /// - Parameter pause: The shortest time to wait.
  case delayed(status: Int, pause: Duration = .zero)
  /// It may accept the notification later, and no other until then.
  /// - Parameter pause: The shortest time to wait.
  case overloaded(status: Int, pause: Duration = .zero)
  /// It received the notification and may have accepted it.
  case unanswered
}
