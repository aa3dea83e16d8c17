public struct WorkspaceSettings: Sendable {
  public var channelName = setting(
    "channel.default", "일반", .text, "name of a new workspace's default channel", .live)
  package var channelDescription = "모든 멤버가 참여하는 기본 채널입니다."
  public var announcementRate = setting(
    "announcements.rate", 10, .integer(0...10_000),
    "channels in which an announcement is posted per second; 0 for no limit", .live)

  public init() {}
}
