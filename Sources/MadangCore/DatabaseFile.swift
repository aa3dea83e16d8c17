import Storage

extension Madang {
  /// Notes in the embedded database which file it is, so that a copy is known for one: then its write-ahead log may be another
  /// file's.
  package func settleDatabaseFile() async throws {
    guard let identity = database.fileIdentity else { return }
    let known = try await database.read { try $0.installationValue(identity.name) }
    guard known != identity.value else { return }
    try await database.write(heedsStop: false) { try $0.setInstallationValue(identity.name, identity.value) }
  }

  /// Whether the embedded database is a copy of the file that it was served in last; false on PostgreSQL.
  package func isCopiedFile() async throws -> Bool {
    guard let identity = database.fileIdentity,
      let known = try await database.read({ try $0.installationValue(identity.name) })
    else { return false }
    return known != identity.value
  }
}
