public struct WorkspaceSettings: Sendable {
  public var channelName = setting(
    "channel.default", "일반", .text, "name of the channel that new workspaces come with", .live)
  package var channelDescription = "모든 멤버가 참여하는 기본 채널입니다."
  public var announcementRate = setting(
    "announcements.rate", 10, .integer(0...10_000),
    "channels in a second in which an announcement is posted; 0 for as many as it can", .live)

  public init() {}
}
