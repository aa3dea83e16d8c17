extension Edition2024_01 {
  /// A direct-message room; `user` is the other person.
  public struct DMRoom: Codable, Hashable, Sendable {
    public var workspaceID: Int64
    public var roomID: Int64
    public var createdAt: String
    public var user: User

    enum CodingKeys: String, CodingKey {
      case workspaceID = "workspace_id"
      case roomID = "room_id"
      case createdAt
      case user
    }

    public init(workspaceID: Int64, roomID: Int64, createdAt: String, user: User) {
      self.workspaceID = workspaceID
      self.roomID = roomID
      self.createdAt = createdAt
      self.user = user
    }
  }

  /// The room of two people with its chats, oldest first.
  public struct DMChatList: Codable, Hashable, Sendable {
    public var workspaceID: Int64
    public var roomID: Int64
    public var chats: [DMChat]

    enum CodingKeys: String, CodingKey {
      case workspaceID = "workspace_id"
      case roomID = "room_id"
      case chats
    }

    public init(workspaceID: Int64, roomID: Int64, chats: [DMChat]) {
      self.workspaceID = workspaceID
      self.roomID = roomID
      self.chats = chats
    }
  }

  public static let directMessages = Endpoint<[DMRoom]>(.get, "/v1/workspaces/{workspace}/dms", .token)
  /// The room with a person and its chats after a date. The room is created if it does not exist.
  public static let directMessageHistory = Endpoint<DMChatList>(
    .get, "/v1/workspaces/{workspace}/dms/{user}/chats", .token)
}
