import MadangAPI

extension MadangClient {
  /// Changes the given fields; an empty description clears it. E11: a field is not valid; E12: the name is taken; E13: not a member; E14:
  /// only the owner may.
  public func editWorkspace(
    _ id: String, name: String? = nil, description: String? = nil, picture: Upload? = nil,
    progress: UploadProgress? = nil
  ) async throws -> Edition2024_10.Workspace {
    try await answer(
      to: Call(
        Edition2024_10.editWorkspace, Edition2024_10.editWorkspace.path(id),
        body: RequestBody([(.name, name), (.description, description)], file: (.image, picture), progress: progress)))
  }

  /// Makes another member the owner, also of the default channel. E13: the other account is not a member; E14: only the owner may.
  public func handOverWorkspace(_ id: String, to user: String) async throws -> Edition2024_10.Workspace {
    try await answer(
      to: Call(
        Edition2024_10.handOverWorkspace, Edition2024_10.handOverWorkspace.path(id),
        body: .fields([(.ownerID, user)])))
  }

  /// Leaves a workspace and its channels, and returns the remaining workspaces, newest first. E15: the caller owns it, or one of its
  /// channels.
  public func leaveWorkspace(_ id: String) async throws -> [Edition2024_10.Workspace] {
    try await answer(to: Call(Edition2024_10.leaveWorkspace, Edition2024_10.leaveWorkspace.path(id)))
  }

  /// Deletes a workspace with its channels and chats. E14: only the owner may.
  public func deleteWorkspace(_ id: String) async throws {
    _ = try await answer(to: Call(Edition2024_10.deleteWorkspace, Edition2024_10.deleteWorkspace.path(id)))
  }
}
