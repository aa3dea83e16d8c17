import Logging
import MadangAPI
import MadangCore
import SocketIOProtocol
import Synchronization

/// The API keys clients may send: those of the settings, and those of the database, which administrators change while the
/// server runs.
final class KnownKeys: Sendable {
  private struct Loaded {
    var editions: [String: EditionName] = [:]
    var at: ContinuousClock.Instant?
  }

  private let madang: Madang
  private let fixed: [String: EditionName]
  private let loaded = Mutex(Loaded())

  /// How long a key that was revoked may go unnoticed. One that was made is known at once: whoever made it uses it.
  static let freshness: Duration = .seconds(1)

  init(_ fixed: [String: EditionName], madang: Madang) {
    self.fixed = fixed
    self.madang = madang
  }

  /// The edition a key belongs to. While the database does not answer, what it said last counts.
  func edition(of key: String) async -> EditionName? {
    guard key.isCheapToCompare else { return nil }
    if let edition = fixed[key] { return edition }
    if isStale() { await load() }
    let hash = Madang.keyHash(key)
    if let edition = loaded.withLock({ $0.editions[hash] }) { return edition }
    // Without a word of failures: `load` has it once a second.
    return (try? await madang.edition(ofKeyHash: hash)).flatMap(EditionName.init(rawValue:))
  }

  /// Whether the caller is the one to load anew: one at a time, others go on with what is known.
  private func isStale() -> Bool {
    loaded.withLock { loaded in
      let now = ContinuousClock.now
      if let at = loaded.at, now < at + Self.freshness { return false }
      loaded.at = now
      return true
    }
  }

  func load() async {
    do {
      let editions = try await madang.keysInUse().compactMapValues(EditionName.init(rawValue:))
      loaded.withLock { $0 = Loaded(editions: editions, at: .now) }
    } catch {
      madang.logger.warning("API keys cannot be read", metadata: ["error": "\(String(reflecting: error))"])
    }
  }
}
