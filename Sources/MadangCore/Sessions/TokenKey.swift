import Storage

/// This server cannot sign access tokens with the same key as the other servers of its database. Described for the operator.
package struct TokenKeyConflict: Error, CustomStringConvertible {
  package let description: String
}

/// What the database knows of the key that signs access tokens.
enum KnownTokenKey {
  case kept(String)
  /// The key is configured on the servers; the digest shows whether all have the same one.
  case digest(String)

  init?(_ text: String) {
    let parts = text.split(separator: " ", maxSplits: 1).map(String.init)
    switch (parts.first, parts.count) {
    case ("key", 2): self = .kept(parts[1])
    case ("digest", 2): self = .digest(parts[1])
    default: return nil
    }
  }

  /// - Parameter key: The configured key of a server.
  static func digest(of key: String) -> KnownTokenKey {
    // Not the plain SHA-256 of the key: HMAC signs with exactly that if a key is longer than 64 bytes.
    .digest("madang token key \(key)".sha256)
  }

  /// What a server announces to the others: the one stored key, or a certain configured key.
  var claim: String {
    switch self {
    case .kept: "kept"
    case .digest: text
    }
  }

  var text: String {
    switch self {
    case .kept(let key): "key \(key)"
    case .digest(let digest): "digest \(digest)"
    }
  }
}

extension Madang {
  /// The key that signs access tokens, the same for all servers of the database. Of several servers that start at once, one decides.
  ///
  /// A configured key is not stored; only its digest is. It replaces a key that the database stores, unless servers are running with that.
  /// Without a configured key the database's key is used; if it has none, the key is taken from `existing` or made at random. Throws
  /// ``TokenKeyConflict`` if other servers have a different configured key, or run with the stored one.
  ///
  /// On SQLite the caller must make sure that no other server runs.
  ///
  /// - Parameter existing: The key of a version that stored it elsewhere; called only if the database has none.
  package func settleTokenKey(given: String?, existing: () throws -> String?) async throws -> String {
    if let given {
      let digest = KnownTokenKey.digest(of: given)
      let ours = digest.text
      let stands: @Sendable (Transaction, KnownTokenKey?) throws -> Bool = { transaction, _ in
        try transaction.tokenKey()?.text == ours
      }
      let known = try await database.write(goingBy: digest.claim, for: tokenKeyName, while: stands) {
        [self] transaction, isContested in
        let before = try transaction.tokenKey()
        if isContested, case .kept? = before {
          throw TokenKeyConflict(
            description: "other servers use the key in the database, but this one has another key (tokens.key)")
        }
        try transaction.replaceKeptTokenKey(by: digest)
        let after = try transaction.tokenKey()
        if let before, before.text != after?.text { try auditTokenKey(by: .server, in: transaction) }
        return after
      }
      guard known?.text == ours else {
        throw TokenKeyConflict(description: "the other servers of this database have another key (tokens.key)")
      }
      return given
    }
    let isKnown = try await database.read { try $0.tokenKey() } != nil
    let made = isKnown ? nil : KnownTokenKey.kept(try existing() ?? ids.bytes(32).hex)
    let stands: @Sendable (Transaction, String) throws -> Bool = { transaction, key in
      try transaction.tokenKey()?.text == KnownTokenKey.kept(key).text
    }
    return try await database.write(goingBy: KnownTokenKey.kept("").claim, for: tokenKeyName, while: stands) {
      transaction, _ in
      if let made { try transaction.insertTokenKey(made) }
      guard case .kept(let key)? = try transaction.tokenKey() else {
        throw TokenKeyConflict(
          description: "the other servers of this database have a key in tokens.key, but this one has none")
      }
      return key
    }
  }

  /// The key that signs access tokens, as far as it is known without settling it.
  /// - Parameter given: The configured key; empty if the database stores it.
  package func knownTokenKey(given: String) async throws -> String? {
    guard given.isEmpty else { return given }
    guard case .kept(let key)? = try await database.read({ try $0.tokenKey() }) else { return nil }
    return key
  }

  /// Replaces the key that signs access tokens; servers with a configured key may then get another one. Throws ``TokenKeyConflict`` while
  /// servers run on PostgreSQL: they would keep their key, and their tokens would be invalid on servers that start later. On SQLite the
  /// caller must make sure that no server runs.
  package func replaceTokenKey(by administrator: Administrator) async throws {
    let made = KnownTokenKey.kept(ids.bytes(32).hex)
    try await database.write(goingBy: nil, for: tokenKeyName) { [self] transaction, isContested in
      guard !isContested else { throw TokenKeyConflict(description: "servers run on this database") }
      try transaction.setTokenKey(made)
      try auditTokenKey(by: .administrator(administrator), in: transaction)
    }
  }

  private func auditTokenKey(by actor: AuditActor, in transaction: Transaction) throws {
    // Hashes of places depend on the key. Without this, owners would be mailed about places that are not new.
    try transaction.deletePlaces()
    try audit(AuditEntry(kind: .tokenKeyReplaced, actor: actor), in: transaction)
  }
}

/// The subject on which all servers of a database must agree.
private let tokenKeyName = "token key"
