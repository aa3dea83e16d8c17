/// A notification for one device.
struct PushNotification: Sendable {
  let deviceToken: String
  let edition: String
  /// JSON, as Apple's service takes it.
  let payload: [UInt8]
  /// How often it was put off, by a count in which one that may have been taken weighs more.
  var delays = 0
}

/// Brings notifications to devices.
protocol PushSender: Sendable {
  /// Throws ``PushFailure`` if the provider was sent this notification and did not answer that it took it. Anything else that is thrown
  /// says nothing about the notification: the provider was not reached, or does not let this server in.
  func send(_ notification: PushNotification) async throws
}

/// Why a provider does not take a notification.
enum PushFailure: Error {
  /// It never will, which is normal: tokens may be junk, or of devices long gone.
  case refused(status: Int)
  /// It may later: it is overloaded, or this device was told too often.
  case delayed(status: Int)
  /// It was sent the notification and may have taken it.
  case unanswered
}
