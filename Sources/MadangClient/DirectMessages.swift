import MadangAPI

extension MadangClient {
  /// The caller's direct-message rooms in a workspace, the most recent conversation first.
  public func directMessages(in workspace: String) async throws -> [Edition2024_10.DMRoom] {
    try await answer(to: Call(Edition2024_10.directMessages, Edition2024_10.directMessages.path(workspace)))
  }

  /// The room with one other person, created by the first call. E11: the caller's own account; E13: the other person is not a member.
  public func openDirectMessage(with user: String, in workspace: String) async throws -> Edition2024_10.DMRoom {
    try await answer(
      to: Call(
        Edition2024_10.openDirectMessage, Edition2024_10.openDirectMessage.path(workspace),
        body: .fields([(.opponentID, user)])))
  }
}
