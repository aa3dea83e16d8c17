import Foundation
import GRDB
import MadangAPI

/// The data of one account of one server on this machine: chats by room, outgoing chats, and read marks. One SQLite file, which several
/// programs may have open at once.
///
/// Its chats are a copy: if the file is lost, only outgoing chats and read marks are lost.
public final class LocalStore: Sendable {
  /// The id of the account.
  public let account: String
  /// The folder of this account's files.
  let folder: URL
  private let database: DatabasePool

  /// How long a write waits for another program's write.
  private static let busyTimeout: TimeInterval = 10

  /// Opens the store, and creates or migrates it if needed.
  /// - Parameters:
  ///   - folder: The folder for the stores of all servers and accounts; created if missing, for its owner only.
  ///   - server: The server's origin.
  ///   - account: The id of the account.
  /// - Throws: ``MadangError/file(path:reason:)``.
  public init(folder: URL, server: String, account: String) throws(MadangError) {
    self.account = account
    self.folder = folder.appending(path: Self.fileName(server)).appending(path: Self.fileName(account))
    var configuration = GRDB.Configuration()
    configuration.busyMode = .timeout(Self.busyTimeout)
    // One reader for the shown chats, one for concurrent lookups.
    configuration.maximumReaderCount = 2
    do {
      try FileManager.default.createDirectory(
        at: self.folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      database = try DatabasePool(path: self.folder.appending(path: "chats.sqlite").path, configuration: configuration)
      try Self.migrator().migrate(database)
    } catch {
      throw Self.failure(error, self.folder)
    }
  }

  /// A unique name without separators.
  static func fileName(_ text: String) -> String { percentEncoded(text).replacing(".", with: "%2E") }

  func read<Value: Sendable>(_ body: @Sendable (GRDB.Database) throws -> Value) async throws -> Value {
    do {
      return try await database.read(body)
    } catch {
      throw Task.isCancelled || error is CancellationError ? CancellationError() : Self.failure(error, folder)
    }
  }

  /// Writes, even if the task is cancelled.
  func write<Value: Sendable>(_ body: @escaping @Sendable (GRDB.Database) throws -> Value) async throws -> Value {
    // Unstructured, so that a cancellation cannot leave the caller in doubt about what was written.
    let writing = Task { try await database.write(body) }
    do {
      return try await writing.value
    } catch {
      throw Self.failure(error, folder)
    }
  }

  private static func failure(_ error: any Error, _ folder: URL) -> MadangError {
    let reason = (error as? DatabaseError)?.message ?? (error as? MadangError)?.meaning ?? error.localizedDescription
    return .file(path: folder.path, reason: reason)
  }

  private static func migrator() -> DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("chats and outbox") { database in
      try database.execute(
        sql: """
          CREATE TABLE chats (
            room TEXT NOT NULL,
            created_at TEXT NOT NULL,
            body BLOB NOT NULL,
            PRIMARY KEY (room, created_at)
          ) WITHOUT ROWID;

          CREATE TABLE outbox (
            position INTEGER PRIMARY KEY AUTOINCREMENT,
            id TEXT NOT NULL UNIQUE,
            room TEXT NOT NULL,
            owner TEXT NOT NULL,
            content TEXT NOT NULL,
            files TEXT NOT NULL,
            newer_than TEXT NOT NULL,
            was_tried INTEGER NOT NULL
          );

          CREATE INDEX outbox_by_room ON outbox (room, position);
          """)
    }
    migrator.registerMigration("read marks") { database in
      try database.execute(
        sql: "CREATE TABLE reading (room TEXT NOT NULL PRIMARY KEY, date TEXT NOT NULL) WITHOUT ROWID")
    }
    migrator.registerMigration("whole rooms") { database in
      try database.execute(
        sql: """
          CREATE TABLE whole (room TEXT NOT NULL PRIMARY KEY) WITHOUT ROWID;
          INSERT INTO whole SELECT DISTINCT room FROM chats;
          """)
    }
    return migrator
  }
}
