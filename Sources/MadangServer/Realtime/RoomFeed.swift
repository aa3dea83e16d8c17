import MadangCore
import Synchronization

/// How far the chats of one room were delivered to this server's sockets: each once, in order, whether this process tells
/// of its commit or it is read from the database.
final class RoomFeed: Sendable {
  private struct State {
    var delivered: Int64
    /// Chats that were told of before all those in front of them were.
    var early: [Int64: Chat] = [:]
    /// Whether chats may be missing.
    var isBehind = true

    mutating func deliver(_ chat: Chat, _ deliver: (Chat) -> Void) {
      deliver(chat)
      pass(chat.seq, deliver)
    }

    /// Goes on with what was early, once all up to `seq` is delivered.
    mutating func pass(_ seq: Int64, _ deliver: (Chat) -> Void) {
      delivered = max(delivered, seq)
      guard !early.isEmpty else { return }
      while let next = early.removeValue(forKey: delivered + 1) {
        deliver(next)
        delivered += 1
      }
      early = early.filter { $0.key > delivered }
    }
  }

  /// Beyond it what is early is read from the database.
  private static let maxEarly = 256

  private let state: Mutex<State>

  /// - Parameter delivered: The `seq` after which chats are delivered.
  init(after delivered: Int64) { state = Mutex(State(delivered: delivered)) }

  /// The `seq` of the chat that was delivered last.
  var delivered: Int64 { state.withLock(\.delivered) }

  /// Whether the database is to be asked, which answers once.
  func takeBehind() -> Bool {
    state.withLock { state in
      defer { state.isBehind = false }
      return state.isBehind
    }
  }

  func setBehind() { state.withLock { $0.isBehind = true } }

  /// Delivers a chat whose commit this process tells of. False if chats before it are missing: they are to be read.
  func tell(_ chat: Chat, _ deliver: (Chat) -> Void) -> Bool {
    state.withLock { state in
      guard chat.seq > state.delivered else { return true }
      guard chat.seq == state.delivered + 1 else {
        if state.early.count < Self.maxEarly { state.early[chat.seq] = chat }
        state.isBehind = true
        return false
      }
      state.deliver(chat, deliver)
      return true
    }
  }

  /// Delivers what was read from the database.
  func read(_ news: RoomNews, _ deliver: (Chat) -> Void) {
    state.withLock { state in
      if news.through < news.after, state.delivered == news.after {
        // The database has lost chats, and gives their numbers out again.
        state = State(delivered: news.through)
        return
      }
      for chat in news.chats where chat.seq > state.delivered { state.deliver(chat, deliver) }
      state.pass(news.through, deliver)
      state.isBehind = state.isBehind || news.hasMore
    }
  }
}
