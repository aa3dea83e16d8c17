import MadangCore
import Synchronization

/// How far the chats of one room were delivered to this server's sockets: each once and in order, whether this process
/// reports its commit or it is read from the database.
final class RoomFeed: Sendable {
  private struct State {
    var position: RoomPosition
    /// While a room is held, only chats read from the database are delivered: numbers may have been assigned again.
    var isHeld = false
    var holds = 0
    /// Chats that were reported before earlier ones.
    var early: [Int64: Chat] = [:]
    /// Whether chats may be missing.
    var isBehind = true

    mutating func hold() {
      (isHeld, isBehind) = (true, true)
      holds += 1
    }

    /// Delivers the next chat and the early ones that follow it.
    mutating func deliver(_ chat: Chat, _ deliver: (Chat) -> Void) {
      var next: Chat? = chat
      while let chat = next {
        deliver(chat)
        position.deliver(chat.seq, chat.mark)
        next = early.removeValue(forKey: position.seq + 1)
      }
    }
  }

  /// The most early chats; more are read from the database.
  private static let maxEarly = 256

  private let state: Mutex<State>

  /// - Parameter seq: Chats after this one are delivered.
  init(after seq: Int64) { state = Mutex(State(position: RoomPosition(seq: seq))) }

  /// The delivered position, for reading from the database.
  var position: RoomPosition {
    state.withLock { state in
      var position = state.position
      position.hold = state.isHeld ? state.holds : nil
      return position
    }
  }

  /// Whether to read the database; true once.
  func takeBehind() -> Bool {
    state.withLock { state in
      defer { state.isBehind = false }
      return state.isBehind
    }
  }

  func setBehind() { state.withLock { $0.isBehind = true } }

  /// Another database may have taken over.
  func hold() { state.withLock { $0.hold() } }

  /// Delivers a chat that this process committed. False if the database has to be read.
  func receive(_ chat: Chat, _ deliver: (Chat) -> Void) -> Bool {
    state.withLock { state in
      if chat.seq <= state.position.seq {
        guard !state.position.wasDelivered(chat.seq, chat.mark) else { return true }
        // Its number belonged to another chat, which the database has lost.
        state.hold()
        return false
      }
      guard !state.isHeld, chat.seq == state.position.seq + 1 else {
        if state.early.count < Self.maxEarly { state.early[chat.seq] = chat }
        state.isBehind = true
        return false
      }
      state.deliver(chat, deliver)
      return true
    }
  }

  /// Delivers chats read from the database.
  func receive(_ news: RoomNews, _ deliver: (Chat) -> Void) {
    state.withLock { state in
      if news.after < news.asked.seq {
        // The database has lost chats and assigns their numbers again.
        var asked = news.asked
        asked.hold = nil
        // Chats that were delivered meanwhile require another read.
        guard state.position == asked else { return state.hold() }
        state.position.goBack(to: news.after)
        state.early = [:]
        state.isBehind = true
      }
      if news.asked.hold == state.holds { state.isHeld = false }
      for chat in news.chats where chat.seq > state.position.seq { state.deliver(chat, deliver) }
      state.position.pass(news.through)
      if let last = news.last, news.through == state.position.seq { state.position.begin(with: last) }
      state.early = state.early.filter { $0.key > state.position.seq }
      state.isBehind = state.isBehind || news.hasMore || state.isHeld
    }
  }
}
