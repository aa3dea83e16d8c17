import Crypto
import MadangAPI
import MadangCore
import MadangServer
import Synchronization

/// Recognises posts that a browser sends twice. Browsers repeat a POST by themselves, without telling the page, if a used connection ends
/// without an answer. The second gets the first one's answer; only posted chats are remembered. Each server has a table of its own: a
/// browser repeats within the same second, and mostly to the same server.
final class OncePosts: Sendable {
  private struct Posted: Sendable {
    let chat: Chat
    let mark: SHA256Digest
  }

  /// Being posted; the others wait.
  private struct Begun {
    let mark: SHA256Digest
    /// Resumed with true when it is over.
    var waiting: [CheckedContinuation<Bool, Never>] = []
  }

  private struct State {
    var begun: [AccountKey: Begun] = [:]
    var posted = RememberedKeys<Posted>()

    /// What a request with a key does next. Throws `.invalid` if the key belongs to another chat.
    mutating func step(_ key: AccountKey, _ mark: SHA256Digest) throws(Failure) -> Step {
      let known = posted[key]
      guard (known?.mark ?? begun[key]?.mark ?? mark) == mark else {
        throw Failure(.invalid, "X-Madang-Once: this key belongs to another chat; each chat needs a key of its own")
      }
      if let known { return .posted(known.chat) }
      guard begun[key] == nil else { return .wait }
      begun[key] = Begun(mark: mark)
      return .post
    }
  }

  private enum Step {
    case post
    case wait
    case posted(Chat)
  }

  private static let maxKeyLength = 64
  /// Requests that wait for the first one of their key.
  static let maxWaiting = 16
  private let state = Mutex(State())

  /// The operation of a post, which posts once for a key of an account. A key is taken once the body was read: a post that is received
  /// slowly delays no other.
  func around(_ row: EditionOperation, _ key: String, of account: Int64) -> EditionOperation {
    row.around { [self] call, handler in
      guard (1...Self.maxKeyLength).contains(key.utf8.count) else {
        throw Failure(.invalid, "X-Madang-Once: may have \(Self.maxKeyLength) bytes at most")
      }
      var call = call
      let path = call.target.segments
      call.posting = { [self] draft, post in
        try await once(AccountKey(account: account, text: key), Self.mark(path, draft), post)
      }
      return try await handler(call)
    }
  }

  /// What a key belongs to: a room, a text and a number of files.
  static func mark(_ path: [String], _ draft: ChatDraft) -> SHA256Digest {
    var hash = SHA256()
    for part in path + ["\(draft.files.count)", draft.content] {
      hash.update(data: Array("\(part.utf8.count) \(part)".utf8))
    }
    return hash.finalize()
  }

  /// The chat that was posted with the key, by this call or before.
  func once(_ key: AccountKey, _ mark: SHA256Digest, _ post: () async throws -> Chat) async throws -> Chat {
    while true {
      switch try state.withLock({ try $0.step(key, mark) }) {
      case .posted(let chat): return chat
      case .wait: try await waitForEnd(of: key)
      case .post:
        var chat: Chat?
        defer { end(key, chat, mark) }
        let posted = try await post()
        chat = posted
        return posted
      }
    }
  }

  private func waitForEnd(of key: AccountKey) async throws {
    let isOver = await withCheckedContinuation { continuation in
      let known: Bool? = state.withLock { state in
        guard let begun = state.begun[key] else { return true }
        guard begun.waiting.count < Self.maxWaiting else { return false }
        state.begun[key]?.waiting.append(continuation)
        return nil
      }
      if let known { continuation.resume(returning: known) }
    }
    guard isOver else {
      throw Refusal(.tooManyCalls, "X-Madang-Once: too many requests wait for the first one of this key", retryAfter: 1)
    }
  }

  /// - Parameter chat: Nil if none was posted: the key is free again.
  private func end(_ key: AccountKey, _ chat: Chat?, _ mark: SHA256Digest) {
    let now = ContinuousClock.now
    let waiting = state.withLock { state in
      if let chat { state.posted.keep(Posted(chat: chat, mark: mark), key, size: chat.content.utf8.count, at: now) }
      return state.begun.removeValue(forKey: key)?.waiting ?? []
    }
    for one in waiting { one.resume(returning: true) }
  }
}
