import Storage
import Synchronization

/// The account for which an operation acts: a known account, or the account of the session that a request shows.
///
/// The session is looked up in each transaction of the operation. This needs no extra read, and guarantees that the session is alive when
/// the operation's rules are checked, however long the request has taken until then.
package final class Principal: Sendable {
  private enum Identity {
    case account(Caller)
    case session(SessionID, edition: String)
  }

  private let identity: Identity
  private let found = Mutex<Caller?>(nil)

  /// - Parameter edition: The session must belong to this edition.
  package init(session: SessionID, edition: String) { identity = .session(session, edition: edition) }

  package init(_ caller: Caller) { identity = .account(caller) }

  package var session: SessionID {
    switch identity {
    case .account(let caller): caller.session
    case .session(let session, _): session
    }
  }

  /// A principal that acts without a session, in tests of clients. Changes of its session have no effect.
  package static func acting(_ person: Person) -> Principal {
    Principal(Caller(session: SessionID(number: 0, begun: 0), person: person))
  }

  /// The result of the last look-up; nil before the first. Says who has called, and must not be used to decide who may act.
  package var caller: Caller? {
    if case .account(let caller) = identity { caller } else { found.withLock(\.self) }
  }

  /// Steps that start with the look-up of the caller. A session is looked up by one more statement at the front. A known account needs no
  /// look-up: the steps of `next` run inside one body, so that all writes that travel together have the same number of statements.
  fileprivate func then<Success>(_ next: @escaping @Sendable (Caller) throws -> Steps<Success>) -> Steps<Success> {
    switch identity {
    case .account(let caller): .body { try $0.run(next(caller)) }
    case .session(let session, let edition):
      Statement.caller(session: session, edition: edition).then { [self] caller in
        found.withLock { $0 = caller }
        return try next(caller)
      }
    }
  }
}

extension Transaction {
  /// Throws `.noSuchSession` if the session has ended, `.accountGone` if its account was deleted.
  func caller(_ principal: Principal) throws -> Caller {
    try run(principal.then { caller in .body { _ in caller } })
  }
}

extension Madang {
  /// The caller behind a principal. Throws like every operation for it: `.noSuchSession` if the session has ended, `.accountGone` if its
  /// account was deleted.
  package nonisolated(nonsending) func caller(_ principal: Principal) async throws -> Caller {
    try await read(as: principal) { _, caller in caller }
  }

  /// `Database.read` for a principal.
  nonisolated(nonsending) func read<Success: Sendable>(
    as principal: Principal, _ body: @escaping @Sendable (Transaction, Caller) throws -> Success
  ) async throws -> Success {
    try await database.read { try body($0, $0.caller(principal)) }
  }

  /// `Database.write` for a principal.
  nonisolated(nonsending) func write<Success: Sendable>(
    as principal: Principal, key: Int64? = nil, heedsStop: Bool = true,
    _ body: @escaping @Sendable (Transaction, Caller) throws -> Success
  ) async throws -> Success {
    try await database.write(key: key, heedsStop: heedsStop) { try body($0, $0.caller(principal)) }
  }

  /// `Database.write` for a principal, in steps. The first step looks up the caller.
  nonisolated(nonsending) func write<Success: Sendable>(
    as principal: Principal, key: Int64?, steps: @escaping @Sendable (Caller) throws -> Steps<Success>
  ) async throws -> Success {
    try await database.write(key: key, principal.then(steps))
  }
}
