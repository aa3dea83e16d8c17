import Storage

/// A database of a world on PostgreSQL, dropped with this.
final class WorldDatabase: Sendable {
  let name: String
  private let server: PostgresDatabases

  private init(name: String, _ server: PostgresDatabases) { (self.name, self.server) = (name, server) }

  /// Makes an empty one.
  convenience init(on server: PostgresDatabases) async throws {
    self.init(name: try await server.make(), server)
  }

  deinit {
    // Unstructured: whoever forgets it waits for nothing.
    Task { [name, server] in await server.drop(name) }
  }

  var url: String { server.url(of: name) }

  /// A copy. Nobody may be connected to it.
  func copy() async throws -> WorldDatabase {
    WorldDatabase(name: try await server.make(copying: name), server)
  }

  /// A copy, also while a server is connected, which connects anew.
  func copyInUse() async throws -> WorldDatabase {
    WorldDatabase(name: try await server.copy(ofUsed: name), server)
  }
}
