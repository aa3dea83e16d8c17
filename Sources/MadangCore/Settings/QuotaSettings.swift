public struct QuotaSettings: Sendable {
  public var workspaces = setting(
    "quota.workspaces", 100, .integer(), "workspaces that one account may own; 0 for any number", .live)
  public var channels = setting(
    "quota.channels", 1000, .integer(), "channels of a workspace without a quota of its own; 0 for any number",
    .live)
  public var members = setting(
    "quota.members", 0, .integer(), "members of a workspace without a quota of its own; 0 for any number", .live)
  public var files = setting(
    "quota.files", 0, .integer(),
    "bytes of all files in the chats of a workspace without a quota of its own; 0 for no limit", .live)

  public init() {}
}
