import MadangAPI

extension MadangClient {
  /// Changes the given fields; an empty description clears it. E11: a field is not valid, or the default channel would be renamed; E12: the
  /// name is taken in this workspace; E14: only the owner may.
  public func editChannel(
    _ id: String, in workspace: String, name: String? = nil, description: String? = nil, picture: Upload? = nil,
    progress: UploadProgress? = nil
  ) async throws -> Edition2024_10.Channel {
    try await answer(
      to: Call(
        Edition2024_10.editChannel, Edition2024_10.editChannel.path(workspace, id),
        body: RequestBody([(.name, name), (.description, description)], file: (.image, picture), progress: progress)))
  }

  /// Makes another member of the channel its owner. E11: the default channel; E13: the other account is not a member of the channel; E14:
  /// only the owner may.
  public func handOverChannel(_ id: String, in workspace: String, to user: String) async throws
    -> Edition2024_10.Channel
  {
    try await answer(
      to: Call(
        Edition2024_10.handOverChannel, Edition2024_10.handOverChannel.path(workspace, id),
        body: .fields([(.ownerID, user)])))
  }

  /// Leaves a channel, and returns the remaining joined channels, newest first. E11: the default channel; E15: the caller owns it.
  public func leaveChannel(_ id: String, in workspace: String) async throws -> [Edition2024_10.Channel] {
    try await answer(to: Call(Edition2024_10.leaveChannel, Edition2024_10.leaveChannel.path(workspace, id)))
  }

  /// Deletes a channel with its chats. E11: the default channel; E14: only the owner may.
  public func deleteChannel(_ id: String, in workspace: String) async throws {
    _ = try await answer(to: Call(Edition2024_10.deleteChannel, Edition2024_10.deleteChannel.path(workspace, id)))
  }
}
