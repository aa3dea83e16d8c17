import MadangAPI

extension MadangClient {
  /// The workspaces that the caller belongs to, newest first.
  public func workspaces() async throws -> [Edition2024_10.Workspace] {
    try await answer(to: Call(Edition2024_10.workspaces, Edition2024_10.workspaces.path()))
  }

  /// Creates a workspace, which costs coins (E21). E12: the name is taken.
  public func createWorkspace(
    name: String, description: String? = nil, picture: Upload? = nil, progress: UploadProgress? = nil
  ) async throws -> Edition2024_10.Workspace {
    try await answer(
      to: Call(
        Edition2024_10.createWorkspace, Edition2024_10.createWorkspace.path(),
        body: RequestBody(
          [(.name, name), (.description, description)], file: (.image, picture), progress: progress)))
  }

  /// A workspace with all its channels and members. E13: it does not exist, or the caller is not a member.
  public func workspace(_ id: String) async throws -> Edition2024_10.WorkspaceDetail {
    try await answer(to: Call(Edition2024_10.workspace, Edition2024_10.workspace.path(id)))
  }

  /// Makes the account of an address a member at once. E12: it is already a member; E13: there is no such account; E14: only the owner may.
  public func invite(_ email: String, to workspace: String) async throws -> Edition2024_10.Member {
    try await answer(
      to: Call(Edition2024_10.invite, Edition2024_10.invite.path(workspace), body: .fields([(.email, email)])))
  }

  /// The members in the order of joining, including the caller.
  public func members(ofWorkspace workspace: String) async throws -> [Edition2024_10.Member] {
    try await answer(to: Call(Edition2024_10.workspaceMembers, Edition2024_10.workspaceMembers.path(workspace)))
  }

  /// A member of a workspace. E13: there is no such member.
  public func member(_ user: String, ofWorkspace workspace: String) async throws -> Edition2024_10.Member {
    try await answer(to: Call(Edition2024_10.workspaceMember, Edition2024_10.workspaceMember.path(workspace, user)))
  }

  /// The workspace with only those channels whose name contains the keyword, and members whose nickname or address does, ignoring case.
  /// E11: the keyword is empty or longer than 100 characters.
  public func search(_ keyword: String, in workspace: String) async throws -> Edition2024_10.WorkspaceDetail {
    try await answer(
      to: Call(Edition2024_10.search, Edition2024_10.search.path(workspace), query: [(.keyword, keyword)]))
  }
}
