import Logging
import Migrations
import Storage
import Synchronization

/// The domain: everything a person can do, as operations by feature. It knows no edition, no HTTP and no socket.
///
/// One value holds all it hangs on, so a process can hold several isolated worlds. Every operation owns its
/// transaction; its rules live inside it. Operations throw ``Failure``; any other error is internal.
///
/// A class: every request hands it on, and a copy of all that it holds is expensive.
package final class Madang: Sendable {
  package let database: Database
  package let clock: Clock
  package let ids: IDSource
  package let files: FileStore
  /// As they are now: see ``change(to:_:)``.
  package var settings: Settings { currentSettings.withLock(\.self) }
  private let currentSettings: Mutex<Settings>
  /// One setting. For what every request asks: `settings` copies them all. `read` is called under the lock.
  package func setting<Value>(_ read: (Settings) -> Value) -> Value { currentSettings.withLock { read($0) } }
  package let logger: Logger
  /// Threads for password hashing, which would stall the cooperative pool.
  package let hashing: WorkerPool
  let passwordCosts = PasswordCosts()
  let roomKeys = RoomKeys()
  /// The sum of files after which the next check continues; nil to begin with the first.
  let lastCheckedFileUsage = Mutex<FileUsageOwner?>(nil)
  /// Receives each event after its transaction committed, in commit order, on the database's writer thread: it must
  /// hand the event on and return at once.
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

  /// The same domain with other settings, before anybody uses it.
  package func with(_ change: (inout Settings) -> Void) -> Madang {
    var settings = settings
    change(&settings)
    return Madang(
      database: database, clock: clock, ids: ids, files: files, settings: settings, hashing: hashing, logger: logger,
      announce: announce)
  }

  /// Goes by other settings from now on, with operations that are under way as well, and writes to the audit log which have changed. What
  /// the server itself has put among them stays.
  /// - Parameter changes: What the log tells, by name; never a secret.
  package func change(to settings: Settings, _ changes: [String: String]) async throws {
    currentSettings.withLock { current in
      var next = settings
      (next.tellsDevices, next.sendsMail) = (current.tellsDevices, current.sendsMail)
      (next.decoyKey, next.placeKey) = (current.decoyKey, current.placeKey)
      (next.node, next.administrator) = (current.node, current.administrator)
      if next.publicURL.isEmpty { next.publicURL = current.publicURL }
      current = next
    }
    try await auditChange(of: changes)
  }

  /// Where the settings name no URL for people, links of mails lead to this one from now on. For development.
  package func assume(publicURL: String) {
    currentSettings.withLock { if $0.publicURL.isEmpty { $0.publicURL = publicURL } }
  }

  /// Brings the database's tables up to this program's version. From then on read-only mode counts.
  package func migrate() async throws {
    try await database.migrate(Self.migrations)
    database.heedStop(in: Transaction.readOnlyTable)
  }

  /// The version of the database's tables, and what is missing to this program's. Changes nothing.
  package func pendingMigrations() async throws -> (version: Int, pending: [Migration]) {
    try await database.pendingMigrations(Self.migrations)
  }

  static let migrations = MigrationFiles.all.map { Migration(version: $0.version, name: $0.name, sql: $0.sql) }
}

/// A fact that others must hear of, told after it was committed.
package enum Event: Sendable {
  case chatPosted(Chat)
  /// Under the number it has in the log of changes.
  case changed(Change, Int64)
  /// A row of the audit log.
  case audited(AuditRecord)
  /// A chat waits whose devices are to be told.
  case pushQueued
  /// A mail waits to be sent.
  case mailQueued
  /// A mail was not queued that the transaction would have sent.
  case mailLeftOut(MailLeftOut.Reason)
}
