import Storage

/// A server that cannot sign access tokens as the others of its database do, in words for the operator.
package struct TokenKeyConflict: Error, CustomStringConvertible {
  package let description: String
}

/// What the database knows of the key that signs access tokens.
enum KnownTokenKey {
  case kept(String)
  /// The servers are given the key; this tells whether they are given the same.
  case digest(String)

  init?(_ text: String) {
    let parts = text.split(separator: " ", maxSplits: 1).map(String.init)
    switch (parts.first, parts.count) {
    case ("key", 2): self = .kept(parts[1])
    case ("digest", 2): self = .digest(parts[1])
    default: return nil
    }
  }

  /// - Parameter key: What a server is given.
  static func digest(of key: String) -> KnownTokenKey {
    // Not of the key alone: HMAC signs with the plain SHA-256 of a key that is longer than 64 bytes.
    .digest("madang token key \(key)".sha256)
  }

  /// What a server tells others that it goes by: one kept key, or a given one.
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
  /// The key that signs access tokens, the same for all servers of the database. Of servers that start at once, one decides.
  ///
  /// A given key is not kept, only a digest of it; it takes the place of one that the database keeps, unless servers run
  /// with that. Without one it is the database's key, which is made of `existing` if there is none yet, or at random. Throws
  /// ``TokenKeyConflict`` if the other servers are given another key, or go on with the one that the database keeps.
  ///
  /// On SQLite the caller sees to it that no other server runs.
  ///
  /// - Parameter existing: The key of a version that kept it elsewhere; asked only where the database has none.
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
            description: "others run with the key that the database keeps, this one is given another (tokens.key)")
        }
        try transaction.replaceKeptTokenKey(by: digest)
        let after = try transaction.tokenKey()
        if let before, before.text != after?.text { try auditTokenKey(by: .server, in: transaction) }
        return after
      }
      guard known?.text == ours else {
        throw TokenKeyConflict(description: "the other servers of this database are given another key (tokens.key)")
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
          description: "the other servers of this database are given a key (tokens.key), this one none")
      }
      return key
    }
  }

  /// The key that signs access tokens, where that is known without settling it.
  /// - Parameter given: That of the settings; empty for one that the database keeps.
  package func knownTokenKey(given: String) async throws -> String? {
    guard given.isEmpty else { return given }
    guard case .kept(let key)? = try await database.read({ try $0.tokenKey() }) else { return nil }
    return key
  }

  /// Makes another key that signs access tokens; servers that are given one may then be given another. Throws
  /// ``TokenKeyConflict`` while servers run on PostgreSQL: they would go on with the one they have, and split all sessions
  /// with those that start. On SQLite the caller sees to it that none runs.
  package func replaceTokenKey() async throws {
    let made = KnownTokenKey.kept(ids.bytes(32).hex)
    try await database.write(goingBy: nil, for: tokenKeyName) { [self] transaction, isContested in
      guard !isContested else { throw TokenKeyConflict(description: "servers run on this database") }
      try transaction.setTokenKey(made)
      try auditTokenKey(by: .administrator, in: transaction)
    }
  }

  private func auditTokenKey(by actor: AuditActor, in transaction: Transaction) throws {
    // Their hashes are made with a key of it: nobody is to be told that the places they know are new.
    try transaction.deletePlaces()
    try audit(AuditEntry(kind: .tokenKeyReplaced, actor: actor), in: transaction)
  }
}

/// Where all servers of a database have to go by the same.
private let tokenKeyName = "token key"
