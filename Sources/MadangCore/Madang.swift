import Logging
import Migrations
import Storage
import Synchronization

/// The domain: everything that a person can do, as operations by feature. Knows no edition, HTTP or sockets.
///
/// A value holds all its dependencies, so a process can contain several isolated worlds. Every operation has its own transaction and checks
/// its rules inside it. Operations throw ``Failure``; any other error is internal.
///
/// A class, because every request passes it on and copying its contents would be expensive.
package final class Madang: Sendable {
  package let database: Database
  package let clock: Clock
  package let ids: IDSource
  package let files: FileStore
  /// The current settings; see ``change(to:_:)``.
  package var settings: Settings { currentSettings.withLock(\.self) }
  private let currentSettings: Mutex<Settings>
  /// Reads one setting without copying all settings, for code that runs in every request. `read` is called under a lock.
  package func setting<Value>(_ read: (Settings) -> Value) -> Value { currentSettings.withLock { read($0) } }
  package let logger: Logger
  /// Threads for password hashing, which would block the cooperative pool.
  package let hashing: WorkerPool
  let passwordCosts = PasswordCosts()
  let roomKeys = RoomKeys()
  /// The sum after which the next check of file usage continues; nil to start with the first.
  let lastCheckedFileUsage = Mutex<FileUsageOwner?>(nil)
  /// Receives each event after its commit, in commit order, on the database's writer thread. Must pass the event on and return at once.
  package let announce: @Sendable (Event) -> Void

  package init(
    database: Database, clock: Clock, ids: IDSource, files: FileStore, settings: Settings, hashing: WorkerPool,
    logger: Logger, announce: @escaping @Sendable (Event) -> Void
  ) {
    self.database = database
    self.clock = clock
    self.ids = ids
    self.files = files
    currentSettings = Mutex(settings)
    self.hashing = hashing
    self.logger = logger
    self.announce = announce
  }

  /// A copy with other settings. Call this only before the domain is used.
  package func with(_ change: (inout Settings) -> Void) -> Madang {
    var settings = settings
    change(&settings)
    return Madang(
      database: database, clock: clock, ids: ids, files: files, settings: settings, hashing: hashing, logger: logger,
      announce: announce)
  }

  /// Replaces the settings, also for operations in progress, and logs the changes in the audit log. Values that the server itself has set
  /// stay.
  /// - Parameter changes: The changes for the audit log, by name, without secrets.
  package func change(to settings: Settings, _ changes: [String: String]) async throws {
    currentSettings.withLock { current in
      var next = settings
      (next.pushesChats, next.sendsMail) = (current.pushesChats, current.sendsMail)
      (next.decoyKey, next.placeKey, next.stepKey) = (current.decoyKey, current.placeKey, current.stepKey)
      next.certificateKey = current.certificateKey
      next.node = current.node
      if next.publicURL.isEmpty { next.publicURL = current.publicURL }
      current = next
    }
    try await auditChange(of: changes)
  }

  /// Sets the public URL, which mails link to, if the settings have none. For development.
  package func assume(publicURL: String) {
    currentSettings.withLock { if $0.publicURL.isEmpty { $0.publicURL = publicURL } }
  }

  /// Migrates the tables to this program's version. Read-only mode takes effect from then on.
  package func migrate() async throws {
    try await database.migrate(Self.migrations)
    database.stopWrites(whileRowIn: Transaction.readOnlyTable)
  }

  /// The version of the tables, and the migrations that are missing. Changes nothing.
  package func pendingMigrations() async throws -> (version: Int, pending: [Migration]) {
    try await database.pendingMigrations(Self.migrations)
  }

  static let migrations = MigrationFiles.all.map { Migration(version: $0.version, name: $0.name, sql: $0.sql) }
}

/// A fact that is announced after its commit.
package enum Event: Sendable {
  case chatPosted(Chat)
  /// A change, with its number in the log of changes.
  case changed(Change, Int64)
  /// A row of the audit log.
  case audited(AuditRecord)
  /// Push notifications of a chat wait to be sent.
  case pushQueued
  /// A mail waits to be sent.
  case mailQueued
  /// A mail could not be queued.
  case mailLeftOut(MailLeftOut.Reason)
}
