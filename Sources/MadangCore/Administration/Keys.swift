import Storage

/// An API key as it is stored, without the key itself.
package struct KeyRecord: Sendable {
  package let id: Int64
  package let edition: String
  package let label: String
  package let createdAt: Int64
  /// Milliseconds since 1970; nil if the key is in use.
  package let revokedAt: Int64?
  /// Who may sign up through an application with this key, as a name of ``Registration``; nil if the setting decides.
  package let registration: String?
  /// Whether new accounts from an application with this key wait for approval, as a name of ``Approval``; nil if the setting decides.
  package let approval: String?

  static let columns: SQL = "id, edition, label, created_at, revoked_at, registration, approval"

  init(_ row: Row) throws {
    id = try row.get("id")
    edition = try row.get("edition")
    label = try row.get("label")
    createdAt = try row.get("created_at")
    revokedAt = try row.get("revoked_at")
    registration = try row.get("registration")
    approval = try row.get("approval")
  }
}

extension Madang {
  /// The hash that is stored instead of the key.
  package static func keyHash(_ key: String) -> String { key.sha256 }

  /// Stores a key, unless it exists already, revoked or not.
  package func register(key: String, edition: String, label: String) async throws {
    try await database.write(ignoresStop: true) { [self, now = clock.now] transaction in
      if try transaction.insertKey(hash: Self.keyHash(key), edition: edition, label: label, now: now) {
        try audit(.keyCreated, label, edition, by: .server, in: transaction)
      }
    }
  }

  /// Whether the edition has a key, revoked or not.
  package func hasKey(of edition: String) async throws -> Bool {
    try await database.read { try $0.hasKey(of: edition) }
  }

  /// Stores the first key of an edition. False if the edition has another key already; so of several servers that start at once, one
  /// decides.
  package func registerFirst(key: String, edition: String, label: String) async throws -> Bool {
    try await database.write(ignoresStop: true) { [self, now = clock.now] transaction in
      let hash = Self.keyHash(key)
      if try !transaction.hasKey(of: edition) {
        if try transaction.insertFirstKey(hash: hash, edition: edition, label: label, now: now) {
          try audit(.keyCreated, label, edition, by: .server, in: transaction)
        }
      }
      return try transaction.hasKey(hash: hash)
    }
  }

  /// Makes and returns a new key. It cannot be read again: only its hash is stored. Throws `.invalid`.
  /// - Parameters:
  ///   - registration: Who may sign up through an application with this key; nil if the setting decides.
  ///   - approval: Whether accounts that sign up with it wait for approval; nil if the setting decides.
  package func createKey(
    edition: String, label: String, registration: Registration? = nil, approval: Approval? = nil,
    by administrator: Administrator
  ) async throws -> (key: String, record: KeyRecord) {
    let label = try TextRules.note(label)
    let key = ids.bytes(32).hex
    let record = try await database.write { [self, now = clock.now] transaction in
      let record = try transaction.insertKey(
        hash: Self.keyHash(key), edition: edition, label: label, registration: registration, approval: approval,
        now: now)
      try audit(
        .keyCreated, label, edition, by: .administrator(administrator), registration: registration?.rawValue,
        approval: approval?.rawValue, in: transaction)
      return record
    }
    return (key, record)
  }

  private func audit(
    _ kind: AuditKind, _ label: String, _ edition: String, by actor: AuditActor, registration: String? = nil,
    approval: String? = nil, in transaction: Transaction
  ) throws {
    var detail = ["edition": edition]
    detail["approval"] = approval
    detail["registration"] = registration
    try audit(AuditEntry(kind: kind, actor: actor, subject: label, detail: AuditDetail(detail)), in: transaction)
  }

  /// Revokes a key; running servers notice within moments. Throws `.notFound` if there is no such key or it was revoked before.
  package func revokeKey(_ id: Int64, by administrator: Administrator) async throws -> KeyRecord {
    try await database.write(ignoresStop: true) { [self, now = clock.now] transaction in
      guard let revoked = try transaction.revokeKey(id, now: now) else {
        throw Failure(.notFound, "there is no key \(id) in use")
      }
      try audit(.keyRevoked, revoked.label, revoked.edition, by: .administrator(administrator), in: transaction)
      return revoked
    }
  }

  /// The subset of `hashes` whose keys were revoked.
  package func revokedKeys(among hashes: [String]) async throws -> Set<String> {
    guard !hashes.isEmpty else { return [] }
    return try await database.read { try $0.revokedKeys(among: hashes) }
  }

  /// All keys, oldest first.
  package func keys() async throws -> [KeyRecord] {
    try await database.read { try $0.keys() }
  }

  /// The edition of each key in use, by the hash of the key.
  package func keysInUse() async throws -> [String: String] {
    try await database.read { try $0.keysInUse() }
  }
}
