import Logging
import MadangCore
import MadangOperations
import Storage

/// The database of a server, and what comes from it: events, rows of the audit log, notices of other servers.
struct OpenedDatabase {
  let madang: Madang
  /// The installation's secret: signs access tokens; the keys for other uses are derived from it.
  let secret: [UInt8]
  let sink: AuditSink
  let announcements = Announcements()
  /// Nil on an embedded database.
  let channel: NotificationChannel?
  /// Nil on an embedded database.
  let notices: CommitNotices?

  /// Opens and migrates the database, and settles what its servers have in common. Throws ``SetupError`` with words for the
  /// operator.
  init(_ settings: ServerSettings, clock: Clock, ids: IDSource, pools: WorkerPools, logger: Logger) async throws {
    let secrets = try Secrets(directory: settings.secretsDirectory, ids: ids)
    let sink = AuditSink(settings, clock: clock, logger: logger)
    let opened = try await openMadang(
      settings, clock: clock, ids: ids, pools: pools, logger: logger,
      announce: { [announcements] event in
        guard case .audited(let record) = event else { return announcements.announce(event) }
        sink.take(record)
      },
      prepare: { try await $0.migrateOwnDatabase(settings) })
    if let warning = settings.publicDatabaseWarning { logger.warning("\(warning)") }
    let (madang, secret) = try await opened.settled(settings, secrets)
    // Before any client can sign in.
    try await madang.surveyPasswords()
    channel = try madang.database.makeNotificationChannel("madang")
    notices = channel.map { CommitNotices($0, secret: secret) }
    (self.madang, self.secret, self.sink) = (madang, secret, sink)
  }
}
