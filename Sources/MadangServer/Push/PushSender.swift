import MadangCore

/// A notification for one device.
struct PushNotification: Sendable {
  let device: PushDevice
  /// JSON, as Apple's service takes it.
  let payload: [UInt8]
  /// UUID of the chat it tells of.
  let chat: String
  /// When its chat was posted, in milliseconds since 1970.
  let postedAt: Int64
  /// How often it was put off, by a count in which one that may have been taken weighs more.
  var delays = 0
  /// How long its provider asked to wait before it is sent again.
  var pause: Duration = .zero
}

extension PushNotification {
  /// One that no device gets and that holds nothing of a chat. The provider may fail at one notification alone.
  static func trial(like other: PushNotification) -> PushNotification {
    PushNotification(
      device: PushDevice(
        token: other.device.isApple ? ApplePushService.noDevice : "madang", edition: other.device.edition, person: 0,
        registeredAt: 0),
      payload: Array(#"{"aps":{}}"#.utf8), chat: other.chat,
      postedAt: other.postedAt)
  }
}

/// Brings notifications to devices.
protocol PushSender: Sendable {
  /// Throws ``PushFailure`` if the provider was sent this notification and did not answer that it took it. Anything else that is
  /// thrown says nothing about the notification: the provider was not reached, or does not let this server in. Takes 50 seconds
  /// at most.
  ///
  /// - Parameter isTrial: Has the provider examine the notification and not deliver it.
  func send(_ notification: PushNotification, isTrial: Bool) async throws
}

/// Why a provider does not take a notification.
enum PushFailure: Error {
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
