import Storage

extension Madang {
  /// Stores the identity of the embedded database's file inside it, so that a copy of the file is recognised: the write-ahead log beside a
  /// copy may belong to another file.
  package func settleDatabaseFile() async throws {
    guard let identity = database.fileIdentity else { return }
    let known = try await database.read { try $0.installationValue(identity.name) }
    guard known != identity.value else { return }
    try await database.write(ignoresStop: true) { try $0.setInstallationValue(identity.name, identity.value) }
  }

  /// Whether the embedded database is a copy of the file that was served last; false on PostgreSQL.
  package func isCopiedFile() async throws -> Bool {
    guard let identity = database.fileIdentity,
      let known = try await database.read({ try $0.installationValue(identity.name) })
    else { return false }
    return known != identity.value
  }
}
