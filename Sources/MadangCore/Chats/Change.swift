import Storage

/// A change of rooms, memberships or sessions that sockets must be told of. That a membership has ended may arrive after it has
/// begun again.
package enum Change: Hashable, Sendable {
  /// A channel is gone, and all its chats with it.
  case roomDeleted(Int64, workspace: Int64)
  /// A workspace is gone with all its rooms.
  case workspaceDeleted(Int64)
  /// An account does not belong to a workspace any more, nor to any room in it.
  case membershipEnded(user: Int64, workspace: Int64)
  /// An account belongs to another workspace.
  case membershipBegan(user: Int64)
  /// A session was ended.
  case sessionEnded(Int64)
  /// All sessions that an account had were ended, the last of them was this one; no address identifies it any more.
  case sessionsEnded(user: Int64, through: Int64)
}

extension Madang {
  /// Notes a change in the transaction that makes it, for the sockets of every server; those of this one hear of it right
  /// after the commit.
  func note(_ change: Change, in transaction: Transaction) throws {
    let number = try transaction.insertChange(change, now: clock.now)
    transaction.afterCommit { [announce] in announce(.changed(change, number)) }
  }

  /// How long changes are kept, in milliseconds: longer than a server may be without its database.
  private static let changeLifetime: Int64 = 24 * 3_600_000

  /// Forgets the changes that every server has heard of, some at a time.
  package func forgetChanges() async throws {
    let page = 500
    while try await database.write({ [before = clock.now - Self.changeLifetime] transaction in
      try transaction.deleteChanges(before: before, limit: page)
    }) == page {}
  }
}

/// A change as it stands in the log of changes.
package struct LoggedChange: Sendable {
  package let number: Int64
  /// Nil for a kind that a newer version has written.
  package let change: Change?

  package init(number: Int64, change: Change?) {
    self.number = number
    self.change = change
  }
}
