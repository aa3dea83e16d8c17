import MadangAPI
import MadangCore
import Synchronization

/// The sessions for acting for accounts, one for each account and edition.
final class DevelopmentSessions: Sendable {
  struct Key: Hashable, Sendable {
    let account: Int64
    let edition: EditionName
  }

  private let sessions = Mutex<[Key: SessionID]>([:])

  /// Throws `Failure(.disabled)` if the account is disabled.
  func caller(_ account: Int64, _ edition: EditionName, _ madang: Madang) async throws -> Caller {
    let key = Key(account: account, edition: edition)
    if let session = sessions.withLock({ $0[key] }) {
      do { return try await madang.caller(session: session, edition: edition.rawValue) } catch let failure as Failure
        where failure.code == .noSuchSession
      {
        // The session was signed out; a new one replaces it.
      }
    }
    let session = try await madang.beginSession(of: account, edition: edition.rawValue).id
    sessions.withLock { $0[key] = session }
    return try await madang.caller(session: session, edition: edition.rawValue)
  }

  /// The sessions as stored in snapshots.
  var kept: [Key: SessionID] {
    get { sessions.withLock(\.self) }
    set { sessions.withLock { $0 = newValue } }
  }
}
