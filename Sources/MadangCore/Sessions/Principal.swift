import Storage
import Synchronization

/// Who an operation acts for: an account that is known, or the session that a request shows.
///
/// A session is looked up in each transaction of the operation. So it takes no read of its own, and it is alive when the operation's rules
/// are checked, however long the request has been under way by then.
package final class Principal: Sendable {
  private enum Identity {
    case account(Caller)
    case session(SessionID, edition: String)
  }

  private let identity: Identity
  private let found = Mutex<Caller?>(nil)

  /// - Parameter edition: The one that the session has to be of.
  package init(session: SessionID, edition: String) { identity = .session(session, edition: edition) }

  package init(_ caller: Caller) { identity = .account(caller) }

  package var session: SessionID {
    switch identity {
    case .account(let caller): caller.session
    case .session(let session, _): session
    }
  }

  /// Somebody who acts without a session, in tests of clients: what changes the session changes nothing.
  package static func acting(_ person: Person) -> Principal {
    Principal(Caller(session: SessionID(number: 0, begun: 0), person: person))
  }

  /// Who it was when it was last looked up; nil before. Tells who has called, never who may act.
  package var caller: Caller? {
    if case .account(let caller) = identity { caller } else { found.withLock(\.self) }
  }

  /// Steps that begin with finding out who it is. A session is looked up by one more statement in front. For an account there is nothing to
  /// look up: the steps of `next` are run within one body. So all writes that travel together have equally many statements.
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
  /// Throws `.noSuchSession` if the session has ended, `.accountGone` if its account is gone.
  func caller(_ principal: Principal) throws -> Caller {
    try run(principal.then { caller in .body { _ in caller } })
  }
}

extension Madang {
  /// Who a principal is. Throws as every operation does that acts for one: `.noSuchSession` if the session has ended, `.accountGone` if its
  /// account is gone.
  package nonisolated(nonsending) func caller(_ principal: Principal) async throws -> Caller {
    try await read(as: principal) { _, caller in caller }
  }

  /// `Database.read` for somebody.
  nonisolated(nonsending) func read<Success: Sendable>(
    as principal: Principal, _ body: @escaping @Sendable (Transaction, Caller) throws -> Success
  ) async throws -> Success {
    try await database.read { try body($0, $0.caller(principal)) }
  }

  /// `Database.write` for somebody.
  nonisolated(nonsending) func write<Success: Sendable>(
    as principal: Principal, key: Int64? = nil, heedsStop: Bool = true,
    _ body: @escaping @Sendable (Transaction, Caller) throws -> Success
  ) async throws -> Success {
    try await database.write(key: key, heedsStop: heedsStop) { try body($0, $0.caller(principal)) }
  }

  /// The same in steps. It is looked up in the first of them.
  nonisolated(nonsending) func write<Success: Sendable>(
    as principal: Principal, key: Int64?, steps: @escaping @Sendable (Caller) throws -> Steps<Success>
  ) async throws -> Success {
    try await database.write(key: key, principal.then(steps))
  }
}
