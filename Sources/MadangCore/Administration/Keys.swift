import Storage

/// An API key as it is kept: without the key.
package struct KeyRecord: Sendable {
  package let id: Int64
  package let edition: String
  package let label: String
  package let createdAt: Int64
  /// Milliseconds since 1970; nil for a key in use.
  package let revokedAt: Int64?
  /// Who may make an account by an application with it, as ``Registration`` has it; nil for what the settings say.
  package let registration: String?
  /// Whether accounts made by an application with it wait for approval, as ``Approval`` has it; nil for what the settings say.
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
  /// What of a key is kept.
  package static func keyHash(_ key: String) -> String { key.sha256 }

  /// Makes a key known, unless it was known before, revoked or not.
  package func register(key: String, edition: String, label: String) async throws {
    try await database.write(heedsStop: false) { [self, now = clock.now] transaction in
      if try transaction.insertKey(hash: Self.keyHash(key), edition: edition, label: label, now: now) {
        try audit(.keyCreated, label, edition, by: .server, in: transaction)
      }
    }
  }

  /// Whether there is a key of an edition, revoked or not.
  package func hasKey(of edition: String) async throws -> Bool {
    try await database.read { try $0.hasKey(of: edition) }
  }

  /// Makes the first key of an edition known. False if there is another one: of servers that start at once, one decides.
  package func registerFirst(key: String, edition: String, label: String) async throws -> Bool {
    try await database.write(heedsStop: false) { [self, now = clock.now] transaction in
      let hash = Self.keyHash(key)
      if try !transaction.hasKey(of: edition) {
        if try transaction.insertFirstKey(hash: hash, edition: edition, label: label, now: now) {
          try audit(.keyCreated, label, edition, by: .server, in: transaction)
        }
      }
      return try transaction.hasKey(hash: hash)
    }
  }

  /// Makes a new key, which is answered once: only its hash is kept. Throws `.invalid`.
  /// - Parameters:
  ///   - registration: Who may make an account by an application with it; nil for what the settings say.
  ///   - approval: Whether such an account waits for approval; nil for what the settings say.
  package func createKey(
    edition: String, label: String, registration: Registration? = nil, approval: Approval? = nil
  ) async throws -> (key: String, record: KeyRecord) {
    let label = try TextRules.note(label)
    let key = ids.bytes(32).hex
    let record = try await database.write { [self, now = clock.now] transaction in
      let record = try transaction.insertKey(
        hash: Self.keyHash(key), edition: edition, label: label, registration: registration, approval: approval,
        now: now)
      try audit(
        .keyCreated, label, edition, by: .administrator, registration: registration?.rawValue,
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

  /// Ends a key; running servers notice within moments. Throws `.notFound` if there is none, or it was revoked before.
  package func revokeKey(_ id: Int64) async throws -> KeyRecord {
    try await database.write(heedsStop: false) { [self, now = clock.now] transaction in
      guard let revoked = try transaction.revokeKey(id, now: now) else {
        throw Failure(.notFound, "there is no key \(id) in use")
      }
      try audit(.keyRevoked, revoked.label, revoked.edition, by: .administrator, in: transaction)
      return revoked
    }
  }

  /// Those of the hashes whose keys were revoked.
  package func revokedKeys(among hashes: [String]) async throws -> Set<String> {
    guard !hashes.isEmpty else { return [] }
    return try await database.read { try $0.revokedKeys(among: hashes) }
  }

  /// All keys, the oldest first.
  package func keys() async throws -> [KeyRecord] {
    try await database.read { try $0.keys() }
  }

  /// The editions of the keys in use, by the keys' hashes.
  package func keysInUse() async throws -> [String: String] {
    try await database.read { try $0.keysInUse() }
  }
}
