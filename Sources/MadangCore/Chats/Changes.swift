import Storage

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
