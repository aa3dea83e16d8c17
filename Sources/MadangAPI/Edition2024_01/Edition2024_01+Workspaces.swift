extension Edition2024_01 {
  /// A workspace in lists and after changes.
  public struct Workspace: Codable, Hashable, Sendable {
    public var workspaceID: Int64
    public var name: String
    public var description: String
    public var thumbnail: String
    public var ownerID: Int64
    public var createdAt: String

    enum CodingKeys: String, CodingKey {
      case workspaceID = "workspace_id"
      case name
      case description
      case thumbnail
      case ownerID = "owner_id"
      case createdAt
    }

    public init(
      workspaceID: Int64, name: String, description: String, thumbnail: String, ownerID: Int64, createdAt: String
    ) {
      self.workspaceID = workspaceID
      self.name = name
      self.description = description
      self.thumbnail = thumbnail
      self.ownerID = ownerID
      self.createdAt = createdAt
    }
  }

  /// A workspace with all its channels, newest first, and its members, oldest first.
  public struct WorkspaceDetail: Codable, Hashable, Sendable {
    public var workspaceID: Int64
    public var name: String
    public var description: String
    public var thumbnail: String
    public var ownerID: Int64
    public var createdAt: String
    public var channels: [Channel]
    public var workspaceMembers: [User]

    enum CodingKeys: String, CodingKey {
      case workspaceID = "workspace_id"
      case name
      case description
      case thumbnail
      case ownerID = "owner_id"
      case createdAt
      case channels
      case workspaceMembers
    }

    public init(
      workspaceID: Int64, name: String, description: String, thumbnail: String, ownerID: Int64, createdAt: String,
      channels: [Channel], workspaceMembers: [User]
    ) {
      self.workspaceID = workspaceID
      self.name = name
      self.description = description
      self.thumbnail = thumbnail
      self.ownerID = ownerID
      self.createdAt = createdAt
      self.channels = channels
      self.workspaceMembers = workspaceMembers
    }
  }

  public static let workspaces = Endpoint<[Workspace]>(.get, "/v1/workspaces", .token)
  public static let createWorkspace = Endpoint<Workspace>(.post, "/v1/workspaces", .token)
  public static let workspace = Endpoint<WorkspaceDetail>(.get, "/v1/workspaces/{workspace}", .token)
  public static let editWorkspace = Endpoint<Workspace>(.put, "/v1/workspaces/{workspace}", .token)
  public static let deleteWorkspace = Endpoint<NoContent>(.delete, "/v1/workspaces/{workspace}", .token)
  public static let leaveWorkspace = Endpoint<[Workspace]>(.get, "/v1/workspaces/{workspace}/leave", .token)
  public static let handOverWorkspace = Endpoint<Workspace>(
    .put, "/v1/workspaces/{workspace}/change/admin/{user}", .token)
  public static let search = Endpoint<WorkspaceDetail>(.get, "/v1/workspaces/{workspace}/search", .token)
  public static let workspaceMember = Endpoint<User>(.get, "/v1/workspaces/{workspace}/members/{user}", .token)
  public static let workspaceMembers = Endpoint<[User]>(.get, "/v1/workspaces/{workspace}/members", .token)
  public static let invite = Endpoint<User>(.post, "/v1/workspaces/{workspace}/members", .token)
}
