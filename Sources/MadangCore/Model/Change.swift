/// A change of a room, a membership or a session that affects sockets. When `membershipEnded` arrives, the account may already have joined
/// the workspace again.
package enum Change: Hashable, Sendable {
  /// A channel was deleted with all its chats.
  case roomDeleted(Int64, workspace: Int64)
  /// A workspace was deleted with all its rooms.
  case workspaceDeleted(Int64)
  /// An account left, or was removed from, a workspace and all rooms in it.
  case membershipEnded(user: Int64, workspace: Int64)
  /// An account joined another workspace.
  case membershipBegan(user: Int64)
  case sessionEnded(Int64)
  /// All sessions of an account up to and including this one were ended. They are recognised by account and number, because the addresses
  /// of their sockets are no longer known.
  case sessionsEnded(user: Int64, through: Int64)
}
