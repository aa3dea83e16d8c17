public struct AlarmSettings: Sendable {
  public var recipients: [String] = setting(
    "alarms.to", [], .list,
    "addresses told by mail what is wrong with the installation: you@example.com,me@example.com")
  public var hours = setting(
    "alarms.every", 24, .integer(1...720), "hours after which they are told once more what is still wrong")

  public init() {}
}
