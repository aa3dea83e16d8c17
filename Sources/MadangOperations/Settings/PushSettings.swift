import MadangCore

/// How notifications are sent.
public struct PushSettings: Sendable {
  public var noText = setting("push.text", "사진", .text, "what a notification of a chat without text says")
  /// Milliseconds.
  public var lifetime: Int64 = setting(
    "push.lifetime", 3_600_000, .seconds, "seconds a chat may wait to be pushed")
  public var parallelSends = setting(
    "push.parallel", 16, .integer(1...1000), "notifications on their way at once")
  public var maxPutOff = setting(
    "push.delayed", 1000, .integer(1...1_000_000),
    "notifications kept in memory that their provider has put off for a device")
  /// The pause before a notification is sent again that was put off, and before a provider out of reach is tried again. It
  /// doubles, up to 20 seconds.
  public var retryPause: Duration = .seconds(1)

  public init() {}
}
