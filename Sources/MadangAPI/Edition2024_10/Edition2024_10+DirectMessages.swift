extension Edition2024_10 {
  /// A direct-message room; `user` is the other person.
  public struct DMRoom: Codable, Hashable, Sendable {
    public var roomID: String
    public var createdAt: String
    public var user: Member

    enum CodingKeys: String, CodingKey {
      case roomID = "room_id"
      case createdAt
      case user
    }

    public init(roomID: String, createdAt: String, user: Member) {
      self.roomID = roomID
      self.createdAt = createdAt
      self.user = user
    }
  }

  public static let directMessages = Endpoint<[DMRoom]>(.get, "/v1/workspaces/{workspace}/dms", .token)
  public static let openDirectMessage = Endpoint<DMRoom>(.post, "/v1/workspaces/{workspace}/dms", .token)
}
