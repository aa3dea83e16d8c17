import MadangCore

/// How notifications are sent.
public struct PushSettings: Sendable {
  public var noText = setting("push.text", "사진", .text, "text of the notification of a chat without text")
  /// Milliseconds.
  public var lifetime: Int64 = setting(
    "push.lifetime", 3_600_000, .seconds, "seconds a chat may wait to be pushed")
  public var parallelSends = setting(
    "push.parallel", 16, .integer(1...1000), "notifications sent at the same time")
  public var maxPutOff = setting(
    "push.delayed", 1000, .integer(1...1_000_000),
    "notifications kept in memory because the provider asked to retry later")
  /// The pause before a deferred notification is sent again, and between tries of an unreachable provider. It doubles, up
  /// to 20 seconds.
  public var retryPause: Duration = .seconds(1)

  public init() {}
}
