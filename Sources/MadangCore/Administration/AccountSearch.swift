import Storage

/// What administrators call the state of an account.
package enum AccountState: String, CaseIterable, Sendable {
  /// In none of the other states.
  case active
  case disabled
  /// Waits for approval.
  case pending
  /// Waits for the confirmation of its address.
  case unconfirmed
  case deleted
}

/// The conditions of an administrator's search for accounts.
package struct AccountSearch: Sendable {
  /// Part of the e-mail address or the nickname, ignoring case; empty for any.
  package var text = ""
  /// Nil for any.
  package var state: AccountState?
  package var after: Int64?
  package var limit = 100

  package init() {}
}

/// What an administrator looks at in one account.
package struct AccountDetails: Sendable {
  package let record: AccountRecord
  /// The first 200.
  package let workspaces: [MembershipRecord]
  /// The first 200.
  package let sessions: [SessionRecord]
}

extension Madang {
  /// One page of accounts that match, ordered by number. With a text or a state, accounts are examined one by one (see
  /// ``SearchPage``); accounts that wait for approval have an index. Throws `.invalid`.
  package func accounts(_ search: AccountSearch) async throws -> SearchPage<AccountRecord> {
    let (text, limit) = (try SearchedText(search.text), search.limit)
    guard !text.isEmpty || search.state != nil else {
      return try await database.read { transaction in
        SearchPage(
          try transaction.accounts(after: search.after ?? 0, limit: limit + 1), limit: limit,
          total: search.after == nil ? try transaction.count(of: "users") : nil, number: \.account.person.id.number)
      }
    }
    let page = try await self.search(
      after: search.after, limit: limit, number: { $0.number },
      read: { try $0.searchedAccounts(search.state, after: $1 ?? 0, limit: $2) },
      where: { $0.hasState(search.state) && (text.isPart(of: $0.email) || text.isPart(of: $0.nickname)) })
    let found = try await database.read { try $0.accounts(numbers: page.elements.map(\.number)) }
    return SearchPage(elements: found, next: page.next, total: page.total)
  }

  /// Throws `.noSuchUser`.
  package func account(number: Int64) async throws -> AccountRecord {
    try await database.read { try $0.knownAccount(number) }
  }

  /// An account with its first workspaces and sessions. Throws `.noSuchUser`.
  package func accountDetails(number: Int64) async throws -> AccountDetails {
    try await database.read { transaction in
      AccountDetails(
        record: try transaction.knownAccount(number),
        workspaces: try transaction.memberships(of: number, after: 0, limit: 200),
        sessions: try transaction.sessionRecords(of: number, after: 0, limit: 200))
    }
  }
}

/// The columns of an account that a search compares.
struct SearchedAccount: Sendable {
  let number: Int64
  let email: String
  let nickname: String
  let states: Set<AccountState>

  func hasState(_ state: AccountState?) -> Bool { state.map(states.contains) ?? true }
}

extension Transaction {
  fileprivate func searchedAccounts(_ state: AccountState?, after number: Int64, limit: Int) throws
    -> [SearchedAccount]
  {
    // The other states have no index that is ordered by number.
    let indexed: SQL = state == .pending ? "AND pending_at IS NOT NULL" : ""
    return try all(
      """
      SELECT id, email, nickname, disabled_at, pending_at, unconfirmed_at, deleted_at FROM users
      WHERE id > \(number) \(sql: indexed) ORDER BY id LIMIT \(limit)
      """
    ) { row in
      var states: Set<AccountState> = []
      func note(_ state: AccountState, _ column: String) throws {
        if try row.get(column, as: Int64?.self) != nil { states.insert(state) }
      }
      try note(.deleted, "deleted_at")
      if states.isEmpty {
        // The row of a deleted account is disabled, too.
        try note(.disabled, "disabled_at")
        try note(.pending, "pending_at")
        try note(.unconfirmed, "unconfirmed_at")
      }
      return SearchedAccount(
        number: try row.get("id"), email: try row.get("email"), nickname: try row.get("nickname"),
        states: states.isEmpty ? [.active] : states)
    }
  }

  fileprivate func accounts(numbers: [Int64]) throws -> [AccountRecord] {
    numbers.isEmpty ? [] : try accounts("u.id IN (\(list: numbers))", limit: numbers.count)
  }

  fileprivate func knownAccount(_ number: Int64) throws -> AccountRecord {
    guard let record = try accounts("u.id = \(number)", limit: 1).first else {
      throw Failure(.noSuchUser, "there is no account \(number)")
    }
    return record
  }
}
