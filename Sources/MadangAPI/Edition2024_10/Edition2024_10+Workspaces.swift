extension Edition2024_10 {
  /// A workspace in lists and after changes.
  public struct Workspace: Codable, Hashable, Sendable {
    public var workspaceID: String
    public var name: String
    public var description: String
    public var coverImage: String
    public var ownerID: String
    public var createdAt: String

    enum CodingKeys: String, CodingKey {
      case workspaceID = "workspace_id"
      case name
      case description
      case coverImage
      case ownerID = "owner_id"
      case createdAt
    }

    public init(
      workspaceID: String, name: String, description: String, coverImage: String, ownerID: String, createdAt: String
    ) {
      self.workspaceID = workspaceID
      self.name = name
      self.description = description
      self.coverImage = coverImage
      self.ownerID = ownerID
      self.createdAt = createdAt
    }
  }

  /// A workspace with all its channels, newest first, and its members, oldest first.
  public struct WorkspaceDetail: Codable, Hashable, Sendable {
    public var workspaceID: String
    public var name: String
    public var description: String
    public var coverImage: String
    public var ownerID: String
    public var createdAt: String
    public var channels: [Channel]
    public var workspaceMembers: [Member]

    enum CodingKeys: String, CodingKey {
      case workspaceID = "workspace_id"
      case name
      case description
      case coverImage
      case ownerID = "owner_id"
      case createdAt
      case channels
      case workspaceMembers
    }

    public init(
      workspaceID: String, name: String, description: String, coverImage: String, ownerID: String, createdAt: String,
      channels: [Channel], workspaceMembers: [Member]
    ) {
      self.workspaceID = workspaceID
      self.name = name
      self.description = description
      self.coverImage = coverImage
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
  public static let deleteWorkspace = Endpoint<Empty>(.delete, "/v1/workspaces/{workspace}", .token)
  public static let invite = Endpoint<Member>(.post, "/v1/workspaces/{workspace}/members", .token)
  public static let workspaceMembers = Endpoint<[Member]>(.get, "/v1/workspaces/{workspace}/members", .token)
  public static let workspaceMember = Endpoint<Member>(.get, "/v1/workspaces/{workspace}/members/{user}", .token)
  public static let search = Endpoint<WorkspaceDetail>(.get, "/v1/workspaces/{workspace}/search", .token)
  public static let handOverWorkspace = Endpoint<Workspace>(
    .put, "/v1/workspaces/{workspace}/transfer/ownership", .token)
  public static let leaveWorkspace = Endpoint<[Workspace]>(.get, "/v1/workspaces/{workspace}/exit", .token)
}
