extension Edition2024_10 {
  /// A channel in lists and after changes.
  public struct Channel: Codable, Hashable, Sendable {
    public var channelID: String
    public var name: String
    public var description: String
    public var coverImage: String
    public var ownerID: String
    public var createdAt: String

    enum CodingKeys: String, CodingKey {
      case channelID = "channel_id"
      case name
      case description
      case coverImage
      case ownerID = "owner_id"
      case createdAt
    }

    public init(
      channelID: String, name: String, description: String, coverImage: String, ownerID: String, createdAt: String
    ) {
      self.channelID = channelID
      self.name = name
      self.description = description
      self.coverImage = coverImage
      self.ownerID = ownerID
      self.createdAt = createdAt
    }
  }

  /// A channel with its members, oldest first.
  public struct ChannelDetail: Codable, Hashable, Sendable {
    public var channelID: String
    public var name: String
    public var description: String
    public var coverImage: String
    public var ownerID: String
    public var createdAt: String
    public var channelMembers: [Member]

    enum CodingKeys: String, CodingKey {
      case channelID = "channel_id"
      case name
      case description
      case coverImage
      case ownerID = "owner_id"
      case createdAt
      case channelMembers
    }

    public init(
      channelID: String, name: String, description: String, coverImage: String, ownerID: String, createdAt: String,
      channelMembers: [Member]
    ) {
      self.channelID = channelID
      self.name = name
      self.description = description
      self.coverImage = coverImage
      self.ownerID = ownerID
      self.createdAt = createdAt
      self.channelMembers = channelMembers
    }
  }

  public static let channels = Endpoint<[Channel]>(.get, "/v1/workspaces/{workspace}/channels", .token)
  public static let myChannels = Endpoint<[Channel]>(.get, "/v1/workspaces/{workspace}/my-channels", .token)
  public static let createChannel = Endpoint<Channel>(.post, "/v1/workspaces/{workspace}/channels", .token)
  public static let channel = Endpoint<ChannelDetail>(.get, "/v1/workspaces/{workspace}/channels/{channel}", .token)
  public static let channelMembers = Endpoint<[Member]>(
    .get, "/v1/workspaces/{workspace}/channels/{channel}/members", .token)
  public static let editChannel = Endpoint<Channel>(.put, "/v1/workspaces/{workspace}/channels/{channel}", .token)
  public static let deleteChannel = Endpoint<Empty>(.delete, "/v1/workspaces/{workspace}/channels/{channel}", .token)
  public static let handOverChannel = Endpoint<Channel>(
    .put, "/v1/workspaces/{workspace}/channels/{channel}/transfer/ownership", .token)
  public static let leaveChannel = Endpoint<[Channel]>(
    .get, "/v1/workspaces/{workspace}/channels/{channel}/exit", .token)
}
