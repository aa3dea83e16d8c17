import MadangAPI

extension MadangClient {
  /// One's direct-message rooms in a workspace, the latest talk first.
  public func directMessages(in workspace: String) async throws -> [Edition2024_10.DMRoom] {
    try await answer(to: Call(Edition2024_10.directMessages, Edition2024_10.directMessages.path(workspace)))
  }

  /// The room with one other person, made on the first call. E11: that is oneself; E13: no member.
  public func openDirectMessage(with user: String, in workspace: String) async throws -> Edition2024_10.DMRoom {
    try await answer(
      to: Call(
        Edition2024_10.openDirectMessage, Edition2024_10.openDirectMessage.path(workspace),
        body: .fields([(.opponentID, user)])))
  }
}
