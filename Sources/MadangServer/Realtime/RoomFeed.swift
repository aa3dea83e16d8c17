import MadangCore
import Synchronization

/// How far the chats of one room were delivered to this server's sockets: each once, in order, whether this process tells
/// of its commit or it is read from the database.
final class RoomFeed: Sendable {
  private struct State {
    var position: RoomPosition
    /// The last position that the database had lost.
    var lost: RoomPosition?
    /// Whether a chat was told of whose number another one had: the database is to be asked before anything is delivered.
    var isReplaced = false
    /// Chats that were told of before all those in front of them were.
    var early: [Int64: Chat] = [:]
    /// Whether chats may be missing.
    var isBehind = true

    mutating func deliver(_ chat: Chat, _ deliver: (Chat) -> Void) {
      deliver(chat)
      pass(RoomPosition(seq: chat.seq, date: chat.createdAt), deliver)
    }

    /// Goes on with what was early, once all up to here is delivered.
    mutating func pass(_ through: RoomPosition, _ deliver: (Chat) -> Void) {
      if through.seq >= position.seq { position = through }
      guard !early.isEmpty else { return }
      while let next = early.removeValue(forKey: position.seq &+ 1) {
        deliver(next)
        position = RoomPosition(seq: next.seq, date: next.createdAt)
      }
      early = early.filter { $0.key > position.seq }
    }
  }

  /// Beyond it what is early is read from the database.
  private static let maxEarly = 256

  private let state: Mutex<State>

  /// - Parameter seq: After which chats are delivered.
  init(after seq: Int64) { state = Mutex(State(position: RoomPosition(seq: seq))) }

  /// The chat that was delivered last.
  var delivered: RoomPosition { state.withLock(\.position) }

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
      guard chat.seq > state.position.seq else {
        guard let date = state.position.date, chat.createdAt > date else { return true }
        // Its number was that of another chat, which the database has lost.
        (state.isReplaced, state.isBehind) = (true, true)
        return false
      }
      guard !state.isReplaced, chat.seq == state.position.seq &+ 1 else {
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
      if news.after < news.asked.seq, state.lost != news.asked {
        // The database has lost chats, and gives their numbers out again.
        state.lost = news.asked
        if state.position == news.asked {
          state.position = RoomPosition(seq: news.after)
          state.early = state.early.filter { $0.value.createdAt > news.asked.date ?? 0 }
        } else {
          // What followed the lost ones was told already.
          for chat in news.chats where chat.seq <= news.asked.seq { deliver(chat) }
        }
      }
      state.isReplaced = false
      for chat in news.chats where chat.seq > state.position.seq { state.deliver(chat, deliver) }
      state.pass(news.through, deliver)
      state.isBehind = state.isBehind || news.hasMore
    }
  }
}
