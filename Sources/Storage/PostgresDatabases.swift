import CPostgres
import Foundation
import Logging
import Synchronization

/// Whole databases of a PostgreSQL server, copied and dropped for tests. Databases left by a killed process are dropped by the next process
/// that uses this class. It drops only databases with a name of this form, this connection limit, no running owner and no connections.
package final class PostgresDatabases: Sendable {
  /// The prefix of all names; a word for the process and a number follow.
  private static let family = "madang_world_"
  /// The pattern of all names, which need no quotes.
  private static let form = "^madang_world_[0-9a-f]{8}_[0-9]+$"
  /// Marks these databases in addition to their names; it is set by the same statement that makes them.
  package static let connectionLimit = 90_317
  /// The comment on each database, for operators.
  private static let comment = "made by madang for tests; dropped with the process that made it, or by a later one"
  /// How often a process checks its lock, which ends with its session.
  private static let claimInterval: Duration = .seconds(1)
  /// How long a process may be without its lock before it counts as ended. Longer than the longest pause between attempts to reconnect.
  private static let absence: Duration = .seconds(10)
  /// Time limit for a statement; copying a database takes as long as copying its files.
  private static let patience: Duration = .seconds(60)
  /// How often the connections to a database that is being copied are terminated.
  private static let endingInterval: Duration = .milliseconds(20)

  private let url: String
  private let process = String(UUID().uuidString.lowercased().prefix(8))
  private let last = Atomic(0)
  private let workers = WorkerPool(name: "databases", threads: 2, queueLimit: 4096)
  /// Runs queries on the server, and holds the lock that shows that this process is running.
  private let database: Database
  private let logger: Logger
  /// Background tasks, until `close`.
  private let chores = Mutex<[Task<Void, Never>]>([])

  /// - Parameter url: Any database of the server, with a role that may create databases.
  /// - Throws: `StorageError`.
  package init(url: String, logger: Logger) async throws {
    self.url = url
    self.logger = logger
    var configuration = DatabaseConfiguration(.postgres(url: url))
    (configuration.readers, configuration.writers) = (1, 1)
    database = try await Database(configuration, logger: logger)
    try await claim()
    let claiming = Task { [weak self] in
      while (try? await Task.sleep(for: Self.claimInterval)) != nil, let self { try? await self.claim() }
    }
    let dropping = Task { [weak self] () -> Void in await self?.dropAbandoned() }
    chores.withLock { $0 = [claiming, dropping] }
  }

  /// The URL of a database.
  package func url(of name: String) -> String {
    // For libpq a later parameter overrides an earlier one.
    url + (url.contains("?") ? "&" : "?") + "dbname=\(name)"
  }

  /// Creates a database, empty or as a copy of one without connections. Returns its name.
  package func make(copying template: String? = nil) async throws -> String {
    // The lock may have ended with its session.
    try await claim()
    let name = "\(Self.family)\(process)_\(last.add(1, ordering: .relaxed).newValue)"
    try await run(
      "CREATE DATABASE \(name) CONNECTION LIMIT \(Self.connectionLimit)" + (template.map { " TEMPLATE \($0)" } ?? ""))
    try await run("COMMENT ON DATABASE \(name) IS '\(Self.comment)'")
    return name
  }

  /// Copies a database in use. All connections to it are terminated; new ones wait until the copy is made.
  package func copy(ofUsed name: String) async throws -> String {
    // PostgreSQL waits some seconds for connections to end, and refuses new ones once it has begun to copy.
    let ending = Task {
      while true {
        try? await endConnections(to: name)
        try await Task.sleep(for: Self.endingInterval)
      }
    }
    defer { ending.cancel() }
    // Unstructured, so that a cancelled caller's copy is still completed and can be dropped.
    let copy = try await Task { try await make(copying: name) }.value
    guard !Task.isCancelled else {
      await drop(copy)
      throw CancellationError()
    }
    return copy
  }

  /// Drops a database and terminates all connections to it.
  package func drop(_ name: String) async { await drop(name, force: true) }

  private func drop(_ name: String, force: Bool) async {
    do { try await run("DROP DATABASE IF EXISTS \(name)" + (force ? " WITH (FORCE)" : "")) } catch {
      logger.warning("a database for tests could not be dropped", metadata: ["name": "\(name)", "error": "\(error)"])
    }
  }

  /// Drops all databases of this process, and closes the connection to the server.
  package func close() async {
    let chores = chores.withLock { chores in
      defer { chores = [] }
      return chores
    }
    for chore in chores { chore.cancel() }
    for chore in chores { await chore.value }
    for name in (try? await names(where: "true")) ?? [] where owner(of: name) == process { await drop(name) }
    await database.close()
  }

  private func endConnections(to name: String) async throws {
    try await database.read { transaction in
      // Excludes PostgreSQL's own workers, which end by themselves.
      _ = try transaction.execute(
        """
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = \(name) AND usename = current_user AND backend_type = 'client backend'
        """)
    }
  }

  private static func lock(of process: String) -> String { "worlds of \(process)" }

  /// Takes the lock that shows other processes that this one is running.
  private func claim() async throws {
    guard try await database.tryAdvisoryLock(Self.lock(of: process)) else {
      throw StorageError(.other, "another process has the lock of this one's databases")
    }
  }

  private func names(where condition: SQL) async throws -> [String] {
    try await database.read { transaction in
      try transaction.all(
        "SELECT datname FROM pg_database AS d WHERE datname ~ \(Self.form) AND \(sql: condition) ORDER BY datname"
      ) { try $0.get("datname") }
    }
  }

  private func owner(of name: String) -> String { String(name.dropFirst(Self.family.count).prefix(8)) }

  /// Databases of other processes that have no connections.
  private func others() async throws -> [String] {
    try await names(
      where: """
        datconnlimit = \(Self.connectionLimit)
          AND NOT EXISTS (SELECT 1 FROM pg_stat_activity AS a WHERE a.datid = d.oid)
        """
    ).filter { owner(of: $0) != process }
  }

  /// Drops databases whose process has ended. Checks twice with a pause between: a process whose sessions PostgreSQL has terminated takes
  /// its lock again.
  private func dropAbandoned() async {
    do {
      guard try await !abandoned().isEmpty else { return }
      try await Task.sleep(for: Self.absence)
      for name in try await abandoned() {
        try Task.checkCancellation()
        logger.notice("dropped a database of a process that has ended", metadata: ["name": "\(name)"])
        // Without force, because a client may have connected since.
        await drop(name, force: false)
      }
    } catch is CancellationError {
    } catch {
      logger.warning("leftover databases for tests cannot be listed", metadata: ["error": "\(error)"])
    }
  }

  /// Databases without connections whose process has no lock. Looks for locks in all databases of the server, because a process may hold
  /// its lock in another one.
  private func abandoned() async throws -> [String] {
    var abandoned: [String] = []
    for (owner, names) in Dictionary(grouping: try await others(), by: owner) {
      let lock = Self.lock(of: owner)
      let isAlive = try await database.read { transaction in
        try transaction.first(
          """
          SELECT 1 AS found FROM pg_locks
          WHERE locktype = 'advisory' AND granted AND objsubid = 2 AND objid = hashtext(\(lock))::oid LIMIT 1
          """
        ) { try $0.get("found", as: Int64.self) } != nil
      }
      if !isAlive { abandoned += names }
    }
    return abandoned
  }

  /// Runs one statement outside of a transaction, over its own connection.
  private func run(_ statement: String) async throws {
    try await workers.run { [url, logger] in
      var configuration = DatabaseConfiguration(.postgres(url: url))
      configuration.statementTimeout = .zero
      let notices = PostgresNotices(logger)
      do throws(EngineFailure) {
        let connection = try PostgresOpening.open(url: url, configuration, notices)
        defer { PQfinish(connection) }
        try PostgresOpening.run(statement, on: connection, within: Self.patience)
      } catch {
        throw StorageError(.other, error.cause.message)
      }
    }
  }
}
