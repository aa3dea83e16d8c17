import Storage
import Synchronization

/// Who an operation acts for: an account that is known, or the session that a request shows.
///
/// A session is looked up in the operation's own transaction. So it takes no read of its own, and it is alive when the
/// operation's rules are checked.
package final class Principal: Sendable {
  private enum State {
    case shown(SessionID, edition: String)
    case found(Caller)
  }

  private let state: Mutex<State>

  /// - Parameter edition: The one that the session has to be of.
  package init(session: SessionID, edition: String) { state = Mutex(.shown(session, edition: edition)) }

  package init(_ caller: Caller) { state = Mutex(.found(caller)) }

  /// Somebody who acts without a session, in tests of clients: what changes the session changes nothing.
  package static func acting(_ person: Person) -> Principal {
    Principal(Caller(session: SessionID(number: 0, begun: 0), person: person))
  }

  package var session: SessionID {
    switch state.withLock(\.self) {
    case .shown(let session, _): session
    case .found(let caller): caller.session
    }
  }

  /// Nil until an operation has looked the session up.
  package var caller: Caller? {
    if case .found(let caller) = state.withLock(\.self) { caller } else { nil }
  }

  fileprivate func find(in transaction: Transaction) throws -> Caller {
    switch state.withLock(\.self) {
    case .found(let caller): return caller
    case .shown(let session, let edition):
      let caller = try transaction.caller(session: session, edition: edition)
      state.withLock { $0 = .found(caller) }
      return caller
    }
  }
}

extension Transaction {
  /// Throws `.noSuchSession` if the session has ended, `.accountGone` if its account is gone.
  func caller(_ principal: Principal) throws -> Caller { try principal.find(in: self) }
}

extension Madang {
  /// Looks a principal up, if no operation has done it yet. Throws as every operation does that acts for one: `.noSuchSession` if the
  /// session has ended, `.accountGone` if its account is gone.
  package func caller(_ principal: Principal) async throws -> Caller {
    if let caller = principal.caller { return caller }
    return try await read(as: principal) { _, caller in caller }
  }

  /// `Database.read` for somebody.
  func read<Success: Sendable>(
    as principal: Principal, _ body: @escaping @Sendable (Transaction, Caller) throws -> Success
  ) async throws -> Success {
    try await database.read { try body($0, $0.caller(principal)) }
  }

  /// `Database.write` for somebody.
  func write<Success: Sendable>(
    as principal: Principal, key: Int64? = nil, heedsStop: Bool = true,
    _ body: @escaping @Sendable (Transaction, Caller) throws -> Success
  ) async throws -> Success {
    try await database.write(key: key, heedsStop: heedsStop) { try body($0, $0.caller(principal)) }
  }
}
