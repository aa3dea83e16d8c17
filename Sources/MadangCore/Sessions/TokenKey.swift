import Storage

/// A server that cannot sign access tokens as the others of its database do, in words for the operator.
package struct TokenKeyConflict: Error, CustomStringConvertible {
  package let description: String
}

/// What the database knows of the key that signs access tokens.
private enum KnownTokenKey {
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
  /// A given key is not kept, only a digest of it; it takes the place of one that the database keeps. Without one it is
  /// the database's key, which is made of `existing` if there is none yet, or at random. Throws ``TokenKeyConflict`` if the
  /// other servers are given another key.
  ///
  /// - Parameter existing: The key of a version that kept it elsewhere; asked only where the database has none.
  package func settleTokenKey(given: String?, existing: () throws -> String?) async throws -> String {
    if let given {
      let ours = KnownTokenKey.digest(of: given).text
      let known = try await database.write { transaction in
        try transaction.execute(
          """
          INSERT INTO installation (name, value) VALUES ('token_key', \(ours))
          ON CONFLICT (name) DO UPDATE SET value = EXCLUDED.value WHERE installation.value LIKE 'key %'
          """)
        return try transaction.tokenKey()
      }
      guard known?.text == ours else {
        throw TokenKeyConflict(description: "the other servers of this database are given another key (tokens.key)")
      }
      return given
    }
    var known = try await database.read { try $0.tokenKey() }
    if known == nil {
      let made = KnownTokenKey.kept(try existing() ?? ids.bytes(32).hex).text
      known = try await database.write { transaction in
        try transaction.execute(
          "INSERT INTO installation (name, value) VALUES ('token_key', \(made)) ON CONFLICT (name) DO NOTHING")
        return try transaction.tokenKey()
      }
    }
    guard case .kept(let key)? = known else {
      throw TokenKeyConflict(
        description: "the other servers of this database are given a key (tokens.key), this one none")
    }
    return key
  }

  /// Makes another key that signs access tokens. Servers go on with the one they have until they are started again;
  /// those that are given one may then be given another.
  package func replaceTokenKey() async throws {
    let made = KnownTokenKey.kept(ids.bytes(32).hex).text
    try await database.write { transaction in
      _ = try transaction.execute(
        """
        INSERT INTO installation (name, value) VALUES ('token_key', \(made))
        ON CONFLICT (name) DO UPDATE SET value = EXCLUDED.value
        """)
    }
  }
}

extension Transaction {
  fileprivate func tokenKey() throws -> KnownTokenKey? {
    try first("SELECT value FROM installation WHERE name = 'token_key'") { KnownTokenKey(try $0.get("value")) } ?? nil
  }
}
