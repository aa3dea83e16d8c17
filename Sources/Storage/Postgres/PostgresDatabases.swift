import CPostgres
import Foundation
import Logging
import Synchronization

/// Whole databases of a PostgreSQL server, made as copies of others and dropped; for tests. Those of a process that was killed are
/// dropped by the next one that makes any: databases with such a name, the connection limit of these, an owner that does not live,
/// and no connections. No other database is ever dropped.
package final class PostgresDatabases: Sendable {
  /// What the names of all begin with; then come a word for the process, and a number.
  private static let family = "madang_world_"
  /// What the names match, which need no quotes.
  private static let form = "^madang_world_[0-9a-f]{8}_[0-9]+$"
  /// By which they are known besides their name: whoever makes a database sets it with the same statement.
  package static let connectionLimit = 90_317
  /// The comment that each has, for people.
  private static let comment = "made by madang for tests; dropped with the process that made it, or by a later one"
  /// How often a process says that it lives: its lock goes with the session.
  private static let claimInterval: Duration = .seconds(1)
  /// How long a process may be without its lock until it is taken for one that has ended. Longer than the longest pause before a
  /// connection is tried again.
  private static let absence: Duration = .seconds(10)
  /// Making a copy takes as long as its files do.
  private static let patience: Duration = .seconds(60)
  /// How often connections are ended to a database that is to be copied.
  private static let endingInterval: Duration = .milliseconds(20)

  private let url: String
  private let process = String(UUID().uuidString.lowercased().prefix(8))
  private let last = Atomic(0)
  private let workers = WorkerPool(name: "databases", threads: 2, queueLimit: 4096)
  /// Tells what there is, and holds the lock that says that this process lives.
  private let database: Database
  private let logger: Logger
  /// What is done beside, until it is closed.
  private let chores = Mutex<[Task<Void, Never>]>([])

  /// - Parameter url: Of a database of the server, as somebody who may make databases.
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
    // What is said later counts, for libpq.
    url + (url.contains("?") ? "&" : "?") + "dbname=\(name)"
  }

  /// Makes a database, empty or as a copy of one to which nobody is connected. Returns its name.
  package func make(copying template: String? = nil) async throws -> String {
    // The lock may have gone with its session.
    try await claim()
    let name = "\(Self.family)\(process)_\(last.add(1, ordering: .relaxed).newValue)"
    try await run(
      "CREATE DATABASE \(name) CONNECTION LIMIT \(Self.connectionLimit)" + (template.map { " TEMPLATE \($0)" } ?? ""))
    try await run("COMMENT ON DATABASE \(name) IS '\(Self.comment)'")
    return name
  }

  /// Makes a copy of a database in use. All connections to it are ended; those that are made meanwhile wait.
  package func copy(ofUsed name: String) async throws -> String {
    // PostgreSQL waits some seconds for connections to end, and lets none begin once it has begun to copy.
    let ending = Task {
      while true {
        try? await endConnections(to: name)
        try await Task.sleep(for: Self.endingInterval)
      }
    }
    defer { ending.cancel() }
    // Unstructured: a copy that is made though nobody waits for it any more is dropped again.
    let copy = try await Task { try await make(copying: name) }.value
    guard !Task.isCancelled else {
      await drop(copy)
      throw CancellationError()
    }
    return copy
  }

  /// Drops a database, with all connections to it.
  package func drop(_ name: String) async { await drop(name, force: true) }

  private func drop(_ name: String, force: Bool) async {
    do { try await run("DROP DATABASE IF EXISTS \(name)" + (force ? " WITH (FORCE)" : "")) } catch {
      logger.warning("a database for tests is left", metadata: ["name": "\(name)", "error": "\(error)"])
    }
  }

  /// Drops all that this process has made, and forgets the server.
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
      // Not of PostgreSQL's own workers, which end by themselves and are not ours to end.
      _ = try transaction.execute(
        """
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = \(name) AND usename = current_user AND backend_type = 'client backend'
        """)
    }
  }

  private static func lock(of process: String) -> String { "worlds of \(process)" }

  /// Says to other processes that this one lives.
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

  /// Those of other processes to which nobody is connected.
  private func others() async throws -> [String] {
    try await names(
      where: """
        datconnlimit = \(Self.connectionLimit)
          AND NOT EXISTS (SELECT 1 FROM pg_stat_activity AS a WHERE a.datid = d.oid)
        """
    ).filter { owner(of: $0) != process }
  }

  /// Drops those whose process does not live, also a while later: one whose sessions PostgreSQL has ended takes its lock again.
  private func dropAbandoned() async {
    do {
      guard try await !abandoned().isEmpty else { return }
      try await Task.sleep(for: Self.absence)
      for name in try await abandoned() {
        try Task.checkCancellation()
        logger.notice("a database of a process that has ended is dropped", metadata: ["name": "\(name)"])
        // Without force: somebody may have connected since.
        await drop(name, force: false)
      }
    } catch is CancellationError {
    } catch {
      logger.warning("databases that are left for tests cannot be looked for", metadata: ["error": "\(error)"])
    }
  }

  /// Those to which nobody is connected and whose process has no lock. Locks are asked for in all databases of the server: a
  /// process may hold its own in another one.
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

  /// Runs one statement outside of a transaction, over a connection of its own.
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
