import NIOCore

/// Links whose messages wait for another turn.
extension LoopShard {
  /// Gives a link another turn. One link has its turn at a time, and never at once: the loop reads its connections only when no task is
  /// due.
  func awaitTurn(_ link: WebSocketLink) {
    turns.append(link)
    if turns.count == 1 { scheduleTurn() }
  }

  private func scheduleTurn() {
    let shard = NIOLoopBound(self, eventLoop: loop)
    loop.scheduleTask(in: .microseconds(100)) {
      // After already queued work, which may end a session.
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
