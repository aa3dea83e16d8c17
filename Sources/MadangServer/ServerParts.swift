import Logging
import MadangAPI
import MadangCore
import MadangOperations
import MadangProviders
import ServiceLifecycle
import SocketIOServer
import Storage

/// What the parts of a server are made of.
struct ServerParts {
  var settings: ServerSettings
  let clock: Clock
  let ids: IDSource
  let pools: WorkerPools
  let ledger: Ledger
  let socketIO: SocketIOServer
  let socketPath: String
  let standIns: ProviderStandIns
  let logger: Logger
  private let metrics = Metrics()
  private let announcements = Announcements()

  init(
    settings: ServerSettings, clock: Clock, ids: IDSource, pools: WorkerPools, ledger: Ledger,
    socketIO: SocketIOServer, socketPath: String, standIns: ProviderStandIns, logger: Logger
  ) {
    self.settings = settings
    // Tests of clients make accounts all day.
    if settings.isDevelopment { self.settings.callLimits.signUps = 0 }
    // These keys are public (wire contract, Edition of a request).
    if settings.isDevelopment && isLoopback(settings.host) {
      self.settings.keys.merge(EditionName.developmentKeys) { $1 }
    }
    (self.clock, self.ids, self.pools, self.ledger) = (clock, ids, pools, ledger)
    (self.socketIO, self.socketPath, self.standIns, self.logger) = (socketIO, socketPath, standIns, logger)
  }

  /// The parts of a server on one database.
  struct Built {
    let service: Service
    let rooms: LiveRooms
    let background: BackgroundWork
    let sink: AuditSink
  }

  /// Opens and migrates the database. Throws ``SetupError`` with words for the operator.
  func build() async throws -> Built {
    var settings = settings
    let secrets = try Secrets(directory: settings.secretsDirectory, ids: ids)
    let providers = try Providers(
      settings.providers, clock: clock, standIns: standIns, troubles: metrics.troubles)
    let pushSender =
      try await settings.providers.pushSender(lifetime: settings.push.lifetime, logger: logger) ?? standIns.pushes
    settings.domain.pushesChats = pushSender != nil
    let mailSender = settings.mail.server.isEmpty ? standIns.mails : try SMTPSender(settings.mail)
    settings.domain.sendsMail = mailSender != nil
    let sink = AuditSink(settings, clock: clock, logger: logger)
    let (madang, tokenKey) = try await openDatabase(settings, secrets, sink)
    let channel = try madang.database.makeNotificationChannel("madang")
    let notices = channel.map { CommitNotices($0, secret: tokenKey) }
    let service = await makeService(settings, madang, tokenKey, notices, providers)
    let editions = editions(settings)
    let pushes = PushQueue(
      madang: madang, sender: pushSender, settings: settings.push, editions: editions, metrics: metrics)
    let mails = MailQueue(madang: madang, sender: mailSender, settings: settings.mail, metrics: metrics)
    let sockets = RoomSockets(service)
    let housekeeping = Housekeeping(service, sockets)
    let rooms = LiveRooms(
      service, sockets, announcements, after: try await madang.latestChanges(), channel: channel, notices: notices,
      deleted: { housekeeping.clearDeletedSoon() })
    let clockWatch = ClockWatch(madang, isDevelopment: settings.isDevelopment, logger: logger)
    announcements.connect { [metrics, dispatcher = rooms.dispatcher] event in
      dispatcher.committed(event)
      switch event {
      case .chatPosted(let chat): clockWatch.posted(in: chat.room.id.number, dated: chat.createdAt)
      case .pushQueued: pushes.pushQueued()
      case .mailQueued: mails.mailQueued()
      case .mailLeftOut(let reason): metrics.mailLeftOut(.init(reason))
      case .changed, .audited: break
      }
    }
    let background = BackgroundWork(parts: [
      rooms.dispatcher, housekeeping, pushes, mails, AnnouncementQueue(madang: madang), service.refusals,
      service.links,
      AlarmWatch(
        madang, settings, certificateEnd: { try $0.certificateEnd() }, troubles: metrics.troubles,
        leads: { [metrics] in metrics.now.leads }),
      DatabaseFileWatch(madang, settings, mails: mailSender), clockWatch,
    ])
    return Built(service: service, rooms: rooms, background: background, sink: sink)
  }

  /// Opens and migrates the database, and settles what its servers have in common.
  private func openDatabase(
    _ settings: ServerSettings, _ secrets: Secrets, _ sink: AuditSink
  ) async throws -> (Madang, tokenKey: [UInt8]) {
    let opened = try await openMadang(
      settings, clock: clock, ids: ids, pools: pools, logger: logger,
      announce: { [announcements] event in
        guard case .audited(let record) = event else { return announcements.announce(event) }
        sink.take(record)
      },
      prepare: { try await $0.migrateOwnDatabase(settings) })
    if let warning = settings.publicDatabaseWarning { logger.warning("\(warning)") }
    if settings.providers.countsTestPayments {
      logger.warning(
        "payments.portone.pg is empty: free test payments of PortOne v1 are accepted as real ones")
    }
    let (madang, tokenKey) = try await opened.settled(settings, secrets)
    // Before any client can sign in.
    try await madang.surveyPasswords()
    return (madang, tokenKey)
  }

  private func editions(_ settings: ServerSettings) -> [Edition] {
    EditionName.allCases.map { Edition($0, offset: settings.offset(of: $0) ?? 0) }
  }

  private func makeService(
    _ settings: ServerSettings, _ madang: Madang, _ tokenKey: [UInt8], _ notices: CommitNotices?,
    _ providers: Providers
  ) async -> Service {
    let keys = KnownKeys(settings.keys, madang: madang)
    await keys.load()
    let held = HeldConnects(ledger, clock: clock)
    return Service(
      madang: madang, settings: settings, keys: keys, tokens: await AccessTokens(secret: tokenKey),
      limits: CallLimits(settings.callLimits, clock: clock),
      tries: SignInTries(settings.callLimits, clock: clock, secret: tokenKey, notices: notices),
      recent: RecentAddresses(madang: madang, held: held, secret: tokenKey, notices: notices), ledger: ledger,
      held: held, cookie: SocketCookie(secret: tokenKey, path: socketPath, settings: settings.domain),
      socketIO: socketIO, editions: editions(settings).filter { settings.edition ?? $0.id == $0.id },
      providers: providers, metrics: metrics,
      refusals: RefusedSignIns(madang, perMinute: settings.auditSinks.refusalsPerMinute),
      links: LinkRequests(madang, settings, metrics: metrics),
      securityLog: SecurityLog(logger, linesPerMinute: settings.limits.securityLines, clock: clock),
      readinessProbe: readinessProbe(madang),
      loopback: settings.isDevelopment
        ? nil : LoopbackWatch(proxies: settings.trustedProxies, hasTLS: settings.tls.isUsed, logger: logger),
      doctorProbe: DoctorProbe(secret: tokenKey),
      failureLog: FailureLog(logger, linesPerMinute: settings.limits.failureLines, clock: clock), logger: logger)
  }

  private func readinessProbe(_ madang: Madang) -> ReadinessProbe {
    ReadinessProbe { [logger] problem in
      if let problem {
        logger.error("not ready", metadata: ["reason": "\(problem)"])
      } else {
        logger.notice("ready again")
      }
    } check: {
      try await madang.database.ping()
      try await madang.files.ping()
    }
  }
}
