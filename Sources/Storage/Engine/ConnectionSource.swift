import Foundation
import Logging

/// Opens connections of the configured engine.
struct ConnectionSource: Sendable {
  private let configuration: DatabaseConfiguration
  private let logger: Logger
  /// The file of a database that is to vanish on close.
  private let temporaryPath: String?

  init(_ configuration: DatabaseConfiguration, _ logger: Logger) {
    self.configuration = configuration
    self.logger = logger
    temporaryPath =
      configuration.engine == .sqliteInMemory
      ? FileManager.default.temporaryDirectory.appendingPathComponent("madang-\(UUID().uuidString).sqlite").path : nil
  }

  var dialect: Dialect {
    switch configuration.engine {
    case .sqlite, .sqliteInMemory: .sqlite
    case .postgres: .postgres
    }
  }

  func open(_ access: Access) throws(EngineFailure) -> any Connection {
    switch configuration.engine {
    case .sqlite(let path):
      return try SQLiteConnection(path: path, durable: true, access: access, configuration)
    case .sqliteInMemory:
      return try SQLiteConnection(path: temporaryPath ?? "", durable: false, access: access, configuration)
    case .postgres(let url):
      return try PostgresConnection(url: url, configuration, logger)
    }
  }

  func removeTemporaryFiles() {
    guard let temporaryPath else { return }
    // SQLite has removed the companions already, unless the process was in a hurry.
    for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: temporaryPath + suffix) }
  }
}
