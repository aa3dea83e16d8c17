import Logging
import MadangAPI
import MadangCore
import SocketIOProtocol
import Synchronization

/// The API keys clients may send: those of the settings, and those of the database, which administrators change while the
/// server runs.
final class KnownKeys: Sendable {
  private struct State {
    var editions: [String: EditionName] = [:]
    /// When the last look began, and which it is.
    var begun: ContinuousClock.Instant?
    var looks = 0
    /// The look that told the editions.
    var told = 0
    /// The next look, which has not begun.
    var next: Task<Void, Never>?
    /// Whether the last look failed.
    var isAway = false
  }

  private let madang: Madang
  private let fixed: [String: EditionName]
  private let state = Mutex(State())

  /// How long a key that was revoked may go unnoticed. One that was made is known at once: whoever made it uses it.
  static let freshness: Duration = .seconds(1)
  /// How far looks are apart at least, however many unknown keys are shown.
  static let pause: Duration = .milliseconds(20)

  init(_ fixed: [String: EditionName], madang: Madang) {
    self.fixed = fixed
    self.madang = madang
  }

  /// How often the database was asked so far.
  var looks: Int { state.withLock(\.looks) }

  /// The edition a key belongs to. While the database does not answer, what it said last counts.
  func edition(of key: String) async -> EditionName? {
    guard key.isCheapToCompare else { return nil }
    if let edition = fixed[key] { return edition }
    if isStale() { await load() }
    let hash = Madang.keyHash(key)
    let (edition, isAway) = state.withLock { ($0.editions[hash], $0.isAway) }
    if edition != nil || isAway { return edition }
    // It may have been made since the last look. All who show an unknown key wait for the same look.
    await nextLook().value
    return state.withLock { $0.editions[hash] }
  }

  /// Whether the caller is the one to load anew: one at a time, others go on with what is known.
  private func isStale() -> Bool {
    state.withLock { state in
      if let begun = state.begun, .now < begun + Self.freshness { return false }
      state.begun = .now
      return true
    }
  }

  /// A look that begins from now on.
  private func nextLook() -> Task<Void, Never> {
    state.withLock { state in
      if let next = state.next { return next }
      let begin = state.begun.map { $0 + Self.pause } ?? .now
      let next = Task { [self] in
        try? await Task.sleep(until: begin)
        self.state.withLock { $0.next = nil }
        await load()
      }
      state.next = next
      return next
    }
  }

  func load() async {
    let look = state.withLock { state in
      state.begun = .now
      state.looks += 1
      return state.looks
    }
    do {
      let editions = try await madang.keysInUse().compactMapValues(EditionName.init(rawValue:))
      state.withLock { state in
        // A look that began later may have ended before.
        guard look > state.told else { return }
        (state.editions, state.told, state.isAway) = (editions, look, false)
      }
    } catch {
      state.withLock { $0.isAway = true }
      madang.logger.warning("API keys cannot be read", metadata: ["error": "\(String(reflecting: error))"])
    }
  }
}
