import Storage

/// A world's database on PostgreSQL, dropped with this object.
final class WorldDatabase: Sendable {
  let name: String
  private let server: PostgresDatabases

  private init(name: String, _ server: PostgresDatabases) { (self.name, self.server) = (name, server) }

  /// Creates an empty one.
  convenience init(on server: PostgresDatabases) async throws {
    self.init(name: try await server.make(), server)
  }

  deinit {
    // Unstructured, because a deinitialiser cannot wait.
    Task { [name, server] in await server.drop(name) }
  }

  var url: String { server.url(of: name) }

  /// A copy. Requires that there are no connections to it.
  func copy() async throws -> WorldDatabase {
    WorldDatabase(name: try await server.make(copying: name), server)
  }

  /// A copy, even while a server is connected, which then reconnects.
  func copyInUse() async throws -> WorldDatabase {
    WorldDatabase(name: try await server.copy(ofUsed: name), server)
  }
}
