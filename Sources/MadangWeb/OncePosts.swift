import Hummingbird
import MadangCore
import MadangServer
import Synchronization

/// Recognises posts that a browser sends twice. Browsers repeat a POST by themselves, without telling the page, if a used connection ends
/// without an answer. The second gets the first one's answer; only posted chats are remembered. Each server has a table of its own: a
/// browser repeats within the same second, and mostly to the same server.
final class OncePosts: Sendable {
  private struct Key: Hashable {
    let account: Int64
    let text: String
  }

  private enum Entry {
    /// Being posted; the others wait.
    case begun([CheckedContinuation<Void, Never>])
    case posted(Chat, at: ContinuousClock.Instant)
  }

  private struct State {
    var entries: [Key: Entry] = [:]
    /// Posted ones, the oldest first from `oldest` on.
    var order: [Key] = []
    var oldest = 0
    /// Bytes of their texts.
    var size = 0

    mutating func keep(_ chat: Chat, _ key: Key, at now: ContinuousClock.Instant) {
      entries[key] = .posted(chat, at: now)
      order.append(key)
      size += chat.content.utf8.count
    }

    /// Forgets the oldest: all before a time, and the excess.
    mutating func forget(before time: ContinuousClock.Instant, maxKeys: Int, maxSize: Int) {
      while oldest < order.count, case .posted(let chat, let at)? = entries[order[oldest]],
        at < time || order.count - oldest > maxKeys || size > maxSize
      {
        entries[order[oldest]] = nil
        size -= chat.content.utf8.count
        oldest += 1
      }
      if oldest > order.count / 2 {
        order.removeFirst(oldest)
        oldest = 0
      }
    }
  }

  private static let memory: Duration = .seconds(600)
  private static let maxKeys = 10_000
  private static let maxSize = 16 << 20
  private static let maxKeyLength = 64
  private let state = Mutex(State())

  /// The operation of a post, which posts once for a key of an account.
  func around(_ row: EditionOperation, _ key: String, of account: Int64) -> EditionOperation {
    row.around { [self] call, handler in
      guard (1...Self.maxKeyLength).contains(key.utf8.count) else {
        throw Failure(.invalid, "X-Madang-Once: may have \(Self.maxKeyLength) bytes at most")
      }
      let key = Key(account: account, text: key)
      if let chat = await posted(key) { return call.answer(chat) }
      do {
        let response = try await handler(call)
        end(key, call.outcome.chat)
        return response
      } catch {
        end(key, nil)
        throw error
      }
    }
  }

  /// The chat that was posted with the key. Nil if the caller is to post it, and to ``end(_:_:)``.
  private func posted(_ key: Key) async -> Chat? {
    while true {
      var found: Chat?
      let mayPost = state.withLock { state in
        switch state.entries[key] {
        case nil:
          state.entries[key] = .begun([])
          return true
        case .posted(let chat, _): found = chat
        case .begun: break
        }
        return false
      }
      if mayPost || found != nil { return found }
      await withCheckedContinuation { continuation in
        let isOver = state.withLock { state in
          guard case .begun(let waiting) = state.entries[key] else { return true }
          state.entries[key] = .begun(waiting + [continuation])
          return false
        }
        if isOver { continuation.resume() }
      }
    }
  }

  /// - Parameter chat: Nil if none was posted: the key is free again.
  private func end(_ key: Key, _ chat: Chat?) {
    let now = ContinuousClock.now
    let waiting = state.withLock { state in
      guard case .begun(let waiting) = state.entries[key] else { return [CheckedContinuation<Void, Never>]() }
      state.entries[key] = nil
      if let chat { state.keep(chat, key, at: now) }
      state.forget(before: now - Self.memory, maxKeys: Self.maxKeys, maxSize: Self.maxSize)
      return waiting
    }
    for one in waiting { one.resume() }
  }
}
