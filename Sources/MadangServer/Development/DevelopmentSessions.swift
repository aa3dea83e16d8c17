import MadangAPI
import MadangCore
import Synchronization

/// The sessions in which accounts are acted for, one of each account and edition.
final class DevelopmentSessions: Sendable {
  struct Key: Hashable, Sendable {
    let account: Int64
    let edition: EditionName
  }

  private let sessions = Mutex<[Key: SessionID]>([:])

  /// Throws `Failure(.signInFailed)` if the account is disabled.
  func caller(_ account: Int64, _ edition: Edition, _ madang: Madang) async throws -> Caller {
    let key = Key(account: account, edition: edition.id)
    if let session = sessions.withLock({ $0[key] }) {
      do { return try await madang.caller(session: session, edition: edition.name) } catch let failure as Failure
        where failure.code == .noSuchSession
      {
        // It was signed out; another one takes its place.
      }
    }
    let session = try await madang.beginSession(of: account, edition: edition.name)
    sessions.withLock { $0[key] = session }
    return try await madang.caller(session: session, edition: edition.name)
  }

  /// As they are kept in snapshots.
  var kept: [Key: SessionID] {
    get { sessions.withLock(\.self) }
    set { sessions.withLock { $0 = newValue } }
  }
}
