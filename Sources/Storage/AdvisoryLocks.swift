import Logging

/// The session that holds this process's advisory locks: one connection, opened when the first lock is requested.
final class LockSession: Sendable {
  private let queue: BlockingQueue<PendingWork>
  private let thread: DedicatedThread

  init(_ configuration: DatabaseConfiguration, _ source: ConnectionSource, _ logger: Logger) {
    queue = BlockingQueue(limit: configuration.readQueueLimit, busyLimit: configuration.waitLimit) { $0.isAbandoned() }
    thread = Worker(
      queue: queue, access: .read, configuration: configuration, source: source, logger: logger, counts: WriteCounts()
    ).startLater(name: "db-locks")
  }

  deinit {
    queue.close()
  }

  /// Asks the server each time: a session may end unnoticed, and its locks end with it.
  func take(_ name: String) async throws -> Bool {
    try await Ticket.wait { [queue] ticket in
      try queue.put(
        PendingWork(ticket, key: nil) { transaction in
          let held = try transaction.first(
            """
            SELECT CASE
              WHEN EXISTS (
                SELECT 1 FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'advisory' AND granted
                  AND objsubid = 2 AND classid = hashtext(scope)::oid AND objid = hashtext(name)::oid) THEN 1
              WHEN pg_try_advisory_lock(hashtext(scope), hashtext(name)) THEN 1
              ELSE 0 END AS held
            FROM (SELECT 'madang locks of ' || COALESCE(current_schema(), '') AS scope, \(name) AS name) AS wanted
            """
          ) { try $0.get("held", as: Bool.self) }
          return held ?? false
        })
    }
  }

  func close() async {
    queue.close()
    await thread.join()
  }
}

extension Database {
  /// Tries to become the one process that owns `name`. If no other process holds the advisory lock of that name, this one takes it and
  /// keeps it until `close`, the end of the process or the loss of its connection. Returns true if this process holds the lock, also if it
  /// already did. Two values of `Database` count as two processes.
  ///
  /// The answer holds only for the moment of the call: ask before each piece of work, and make that work safe to do twice. Always true on
  /// SQLite. Throws as `read` does.
  package func tryAdvisoryLock(_ name: String) async throws -> Bool {
    try await locks?.take(name) ?? true
  }
}
