import Synchronization

extension Journal {
  /// Changes at each reset, which replaces the database.
  var era: Int { eraNumber.load(ordering: .relaxed) }

  /// A reset is about to replace the database: accounts are looked up in the old one for the last time.
  func beforeExchange() async { await nameAccounts(in: entries(after: 0).entries) }

  /// The database was replaced: account numbers have new meanings from now on.
  func exchanged() { eraNumber.add(1, ordering: .relaxed) }

  /// Looks up the accounts that are known only by number.
  func nameAccounts(in entries: some Sequence<RawEntry>) async {
    let now = era
    var wanted = Set<AccountKey>()
    for entry in entries { if let key = entry.content.accountKey, key.era == now { wanted.insert(key) } }
    wanted = state.withLock { state in wanted.filter { state.emails[$0] == nil } }
    for key in wanted {
      guard let email = await emailOf(key.number), key.era == era else { continue }
      state.withLock { state in
        if state.emails.count >= state.limits.entries { state.emails = [:] }
        state.emails[key] = email
      }
    }
  }
}

extension RawContent {
  fileprivate var accountKey: AccountKey? {
    switch self {
    case .packet(let packet): packet.account
    case .push(_, let key): key
    case .request, .connection, .payment, .mail: nil
    }
  }
}
