import NIOCore

/// Whose messages wait for a further turn.
extension LoopShard {
  /// Gives a link a further turn. One has its turn at a time, and never at once: the loop looks at its connections only when no task is
  /// due.
  func awaitTurn(_ link: WebSocketLink) {
    turns.append(link)
    if turns.count == 1 { scheduleTurn() }
  }

  private func scheduleTurn() {
    let shard = NIOLoopBound(self, eventLoop: loop)
    loop.scheduleTask(in: .microseconds(100)) {
      // Behind what is queued already, which may end a session.
      shard.value.enqueue { $0.takeTurn() }
    }
  }

  private func takeTurn() {
    guard let link = turns.first else { return }
    link.takeNextTurn()
    turns.removeFirst()
    if !turns.isEmpty { scheduleTurn() }
  }
}
