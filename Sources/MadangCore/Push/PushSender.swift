/// A notification for one device.
package struct PushNotification: Sendable {
  package let device: PushDevice
  /// JSON, as Apple's service takes it.
  package let payload: [UInt8]
  /// UUID of the chat it tells of.
  package let chat: String
  /// When its chat was posted, in milliseconds since 1970.
  package let postedAt: Int64
  /// How often it was put off, by a count in which one that may have been taken weighs more.
  package var delays = 0
  /// How long its provider asked to wait before it is sent again.
  package var pause: Duration = .zero

  package init(device: PushDevice, payload: [UInt8], chat: String, postedAt: Int64) {
    (self.device, self.payload, self.chat, self.postedAt) = (device, payload, chat, postedAt)
  }
}

extension PushNotification {
  /// One that no device gets and that holds nothing of a chat. The provider may fail at one notification alone.
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
  /// A token that no device has. APNs examines nothing without delivering it, but says of this that it is none.
  package static let noAppleToken = String(repeating: "0", count: 64)
  /// Digits of a token: Apple does not say how many there are, and may change it.
  private static let appleDigits = 64...200

  /// Whether its token has the form of APNs's own. One of Firebase has other characters, too.
  package var isApple: Bool {
    Self.appleDigits.contains(token.utf8.count) && token.utf8.count.isMultiple(of: 2)
      && token.unicodeScalars.allSatisfy { $0.properties.isASCIIHexDigit }
  }
}

/// Brings notifications to devices.
package protocol PushSender: Sendable {
  /// Throws ``PushFailure`` if the provider was sent this notification and did not answer that it took it. Anything else that is
  /// thrown says nothing about the notification: the provider was not reached, or does not let this server in. Takes 50 seconds
  /// at most.
  ///
  /// - Parameter isTrial: Has the provider examine the notification and not deliver it.
  func send(_ notification: PushNotification, isTrial: Bool) async throws
}

/// Why a provider does not take a notification.
package enum PushFailure: Error {
  /// It never will, which is normal: tokens may be junk.
  case refused(status: Int)
  /// It never will take one for this device: nobody has it any more, or nobody ever had.
  case unregistered(status: Int)
  /// It may later: this device was told too often, or something went wrong.
  /// - Parameter pause: How long it asks for at least.
  case delayed(status: Int, pause: Duration = .zero)
  /// It may later, and nothing else until then.
  /// - Parameter pause: How long it asks for at least.
  case overloaded(status: Int, pause: Duration = .zero)
  /// It was sent the notification and may have taken it.
  case unanswered
}
