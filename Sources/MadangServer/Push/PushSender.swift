/// A notification for one device.
struct PushNotification: Sendable {
  let deviceToken: String
  let edition: String
  /// JSON, as Apple's service takes it.
  let payload: [UInt8]
}

/// Brings notifications to devices.
protocol PushSender: Sendable {
  /// Throws if the notification was not taken, which is normal: tokens may be junk, or of devices long gone.
  func send(_ notification: PushNotification) async throws
}
