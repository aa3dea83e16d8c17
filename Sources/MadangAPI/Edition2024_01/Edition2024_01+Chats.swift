extension Edition2024_01 {
  /// A chat in a channel. POST replies, history and socket events use the same object.
  public struct ChannelChat: Codable, Hashable, Sendable {
    public var channelID: Int64
    public var channelName: String
    public var chatID: Int64
    public var content: String
    public var createdAt: String
    public var files: [String]
    public var user: User

    enum CodingKeys: String, CodingKey {
      case channelID = "channel_id"
      case channelName
      case chatID = "chat_id"
      case content
      case createdAt
      case files
      case user
    }

    public init(
      channelID: Int64, channelName: String, chatID: Int64, content: String, createdAt: String, files: [String],
      user: User
    ) {
      self.channelID = channelID
      self.channelName = channelName
      self.chatID = chatID
      self.content = content
      self.createdAt = createdAt
      self.files = files
      self.user = user
    }
  }

  /// A chat in a direct-message room. POST replies, history and socket events use the same object.
  public struct DMChat: Codable, Hashable, Sendable {
    public var dmID: Int64
    public var roomID: Int64
    public var content: String
    public var createdAt: String
    public var files: [String]
    public var user: User

    enum CodingKeys: String, CodingKey {
      case dmID = "dm_id"
      case roomID = "room_id"
      case content
      case createdAt
      case files
      case user
    }

    public init(dmID: Int64, roomID: Int64, content: String, createdAt: String, files: [String], user: User) {
      self.dmID = dmID
      self.roomID = roomID
      self.content = content
      self.createdAt = createdAt
      self.files = files
      self.user = user
    }
  }

  /// The number of chats of others that are newer than the requested date. `roomID` repeats `channelID`, because some clients decode it as
  /// a DM count.
  public struct ChannelUnread: Codable, Hashable, Sendable {
    public var channelID: Int64
    public var name: String
    public var count: Int
    public var roomID: Int64

    enum CodingKeys: String, CodingKey {
      case channelID = "channel_id"
      case name
      case count
      case roomID = "room_id"
    }

    public init(channelID: Int64, name: String, count: Int, roomID: Int64) {
      self.channelID = channelID
      self.name = name
      self.count = count
      self.roomID = roomID
    }
  }

  /// The number of chats of the other person that are newer than the requested date.
  public struct DMUnread: Codable, Hashable, Sendable {
    public var roomID: Int64
    public var count: Int

    enum CodingKeys: String, CodingKey {
      case roomID = "room_id"
      case count
    }

    public init(roomID: Int64, count: Int) {
      self.roomID = roomID
      self.count = count
    }
  }

  public static let channelHistory = Endpoint<[ChannelChat]>(
    .get, "/v1/workspaces/{workspace}/channels/{channel}/chats", .token)
  public static let postToChannel = Endpoint<ChannelChat>(
    .post, "/v1/workspaces/{workspace}/channels/{channel}/chats", .token)
  public static let channelUnread = Endpoint<ChannelUnread>(
    .get, "/v1/workspaces/{workspace}/channels/{channel}/unreads", .token)
  public static let postToDirectMessage = Endpoint<DMChat>(.post, "/v1/workspaces/{workspace}/dms/{room}/chats", .token)
  public static let directMessageUnread = Endpoint<DMUnread>(
    .get, "/v1/workspaces/{workspace}/dms/{room}/unreads", .token)
}

extension Edition2024_01.ChannelChat: WireObject {
  public func writeFields(to json: inout JSONWriter) {
    json.field(CodingKeys.channelID, channelID)
    json.field(CodingKeys.channelName, channelName)
    json.field(CodingKeys.chatID, chatID)
    json.field(CodingKeys.content, content)
    json.field(CodingKeys.createdAt, createdAt)
    json.field(CodingKeys.files, files)
    json.field(CodingKeys.user, user)
  }
}

extension Edition2024_01.DMChat: WireObject {
  public func writeFields(to json: inout JSONWriter) {
    json.field(CodingKeys.dmID, dmID)
    json.field(CodingKeys.roomID, roomID)
    json.field(CodingKeys.content, content)
    json.field(CodingKeys.createdAt, createdAt)
    json.field(CodingKeys.files, files)
    json.field(CodingKeys.user, user)
  }
}

extension Edition2024_01.ChannelUnread: WireObject {
  public func writeFields(to json: inout JSONWriter) {
    json.field(CodingKeys.channelID, channelID)
    json.field(CodingKeys.name, name)
    json.field(CodingKeys.count, count)
    json.field(CodingKeys.roomID, roomID)
  }
}

extension Edition2024_01.DMUnread: WireObject {
  public func writeFields(to json: inout JSONWriter) {
    json.field(CodingKeys.roomID, roomID)
    json.field(CodingKeys.count, count)
  }
}
