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

  /// The query for the caller; nil for a known account.
  fileprivate var lookUp: SQL? {
    switch identity {
    case .account: nil
    case .session(let session, let edition): .caller(session: session, edition: edition)
    }
  }

  /// The caller in the answer to ``lookUp``.
  fileprivate func caller(in row: Row?) throws -> Caller {
    if case .account(let caller) = identity { return caller }
    let caller = try Caller(of: session, row)
    found.withLock { $0 = caller }
    return caller
  }
}

extension Transaction {
  /// Throws `.noSuchSession` if the session has ended, `.accountGone` if its account was deleted.
  func caller(_ principal: Principal) throws -> Caller {
    try principal.caller(in: principal.lookUp.flatMap { try first($0) { $0 } })
  }

  fileprivate nonisolated(nonsending) func pipelinedCaller(_ principal: Principal) async throws -> Caller {
    guard let lookUp = principal.lookUp else { return try principal.caller(in: nil) }
    return try principal.caller(in: await pipelined(lookUp).rows.first)
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
    as principal: Principal, key: Int64? = nil, ignoresStop: Bool = false,
    _ body: @escaping @Sendable (Transaction, Caller) throws -> Success
  ) async throws -> Success {
    try await database.write(key: key, ignoresStop: ignoresStop) { try body($0, $0.caller(principal)) }
  }

  /// `Database.pipelinedWrite` for a principal.
  nonisolated(nonsending) func pipelinedWrite<Success: Sendable>(
    as principal: Principal, key: Int64?,
    _ body: @escaping @Sendable (sending Transaction, Caller) async throws -> Success
  ) async throws -> Success {
    try await database.pipelinedWrite(key: key) { transaction in
      let caller = try await transaction.pipelinedCaller(principal)
      return try await body(transaction, caller)
    }
  }
}
