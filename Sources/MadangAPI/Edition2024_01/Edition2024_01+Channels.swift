extension Edition2024_01 {
  /// A channel in lists and after changes.
  public struct Channel: Codable, Hashable, Sendable {
    public var workspaceID: Int64
    public var channelID: Int64
    public var name: String
    public var description: String
    public var ownerID: Int64
    /// Always 0. It is an integer, not a boolean.
    public var isPrivate: Int
    public var createdAt: String

    enum CodingKeys: String, CodingKey {
      case workspaceID = "workspace_id"
      case channelID = "channel_id"
      case name
      case description
      case ownerID = "owner_id"
      case isPrivate = "private"
      case createdAt
    }

    public init(
      workspaceID: Int64, channelID: Int64, name: String, description: String, ownerID: Int64, isPrivate: Int = 0,
      createdAt: String
    ) {
      self.workspaceID = workspaceID
      self.channelID = channelID
      self.name = name
      self.description = description
      self.ownerID = ownerID
      self.isPrivate = isPrivate
      self.createdAt = createdAt
    }
  }

  /// A channel with its members, oldest first.
  public struct ChannelDetail: Codable, Hashable, Sendable {
    public var workspaceID: Int64
    public var channelID: Int64
    public var name: String
    public var description: String
    public var ownerID: Int64
    /// Always 0. It is an integer, not a boolean.
    public var isPrivate: Int
    public var createdAt: String
    public var channelMembers: [User]

    enum CodingKeys: String, CodingKey {
      case workspaceID = "workspace_id"
      case channelID = "channel_id"
      case name
      case description
      case ownerID = "owner_id"
      case isPrivate = "private"
      case createdAt
      case channelMembers
    }

    public init(
      workspaceID: Int64, channelID: Int64, name: String, description: String, ownerID: Int64, isPrivate: Int = 0,
      createdAt: String, channelMembers: [User]
    ) {
      self.workspaceID = workspaceID
      self.channelID = channelID
      self.name = name
      self.description = description
      self.ownerID = ownerID
      self.isPrivate = isPrivate
      self.createdAt = createdAt
      self.channelMembers = channelMembers
    }
  }

  public static let myChannels = Endpoint<[Channel]>(.get, "/v1/workspaces/{workspace}/channels/my", .token)
  public static let channels = Endpoint<[Channel]>(.get, "/v1/workspaces/{workspace}/channels", .token)
  public static let createChannel = Endpoint<Channel>(.post, "/v1/workspaces/{workspace}/channels", .token)
  public static let channel = Endpoint<ChannelDetail>(.get, "/v1/workspaces/{workspace}/channels/{channel}", .token)
  /// Another path of ``channel``.
  public static let myChannel = Endpoint<ChannelDetail>(
    .get, "/v1/workspaces/{workspace}/channels/my/{channel}", .token)
  public static let editChannel = Endpoint<Channel>(.put, "/v1/workspaces/{workspace}/channels/{channel}", .token)
  public static let deleteChannel = Endpoint<NoContent>(
    .delete, "/v1/workspaces/{workspace}/channels/{channel}", .token)
  public static let leaveChannel = Endpoint<[Channel]>(
    .get, "/v1/workspaces/{workspace}/channels/{channel}/leave", .token)
  public static let handOverChannel = Endpoint<Channel>(
    .put, "/v1/workspaces/{workspace}/channels/{channel}/change/admin/{user}", .token)
  public static let channelMembers = Endpoint<[User]>(
    .get, "/v1/workspaces/{workspace}/channels/{channel}/members", .token)
}
