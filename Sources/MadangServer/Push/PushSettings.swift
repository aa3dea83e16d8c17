/// How notifications are sent.
public struct PushSettings: Sendable {
  /// Milliseconds after which a chat that could not be told is told to nobody any more.
  public var lifetime: Int64 = 3_600_000
  /// The pause before a notification is sent again that was put off, and before a provider out of reach is tried again. It
  /// doubles, up to 20 seconds.
  public var retryPause: Duration = .seconds(1)
  /// Notifications on their way at once.
  public var parallelSends = 16
  /// Notifications kept in memory that the provider has put off for a device.
  public var maxPutOff = 1000
  /// What a notification of a chat without text says.
  public var noText = "사진"

  public init() {}
}
