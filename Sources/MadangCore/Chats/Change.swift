import Storage

/// A change of rooms, memberships or sessions of which sockets must be notified. The end of a membership may arrive after the membership
/// has begun again.
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

extension Madang {
  /// Records a change in the transaction that makes it, for the sockets of all servers. Sockets of this server are notified right after the
  /// commit.
  func note(_ change: Change, in transaction: Transaction) throws {
    let number = try transaction.insertChange(change, now: clock.now)
    transaction.afterCommit { [announce] in announce(.changed(change, number)) }
  }

  /// How long changes are kept, in milliseconds. Must be longer than a server may be without its database.
  private static let changeLifetime: Int64 = 24 * 3_600_000

  /// Deletes changes that every server has read, one page at a time.
  package func forgetChanges() async throws {
    let page = 500
    while try await database.write({ [before = clock.now - Self.changeLifetime] transaction in
      try transaction.deleteChanges(before: before, limit: page)
    }) == page {}
  }
}

/// A row of the log of changes.
package struct LoggedChange: Sendable {
  package let number: Int64
  /// Nil for a kind that a newer version has written.
  package let change: Change?

  package init(number: Int64, change: Change?) {
    self.number = number
    self.change = change
  }
}
