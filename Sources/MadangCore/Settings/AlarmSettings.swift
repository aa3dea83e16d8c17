public struct AlarmSettings: Sendable {
  public var recipients: [String] = setting(
    "alarms.to", [], .list,
    "addresses that get a mail when something is wrong with the installation: you@example.com,me@example.com")
  public var hours = setting(
    "alarms.every", 24, .integer(1...720), "hours until another mail about a problem that lasts")

  public init() {}
}
