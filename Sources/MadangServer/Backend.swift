import Logging
import MadangAPI
import MadangCore
import MadangProviders
import ServiceLifecycle
import SocketIOServer
import Storage

/// All that stands on one database: the domain, what a request needs of it, and the work beside the requests. Of a server's
/// backends one answers; in tests another one may take its place (``CurrentBackend``).
final class Backend: Sendable {
  let service: Service
  let sockets: RoomSockets
  private let dispatcher: Dispatcher
  private let services: [any ServiceLifecycle.Service]
  private let announcements: Announcements
  private let sink: AuditSink
  private let retirement = AsyncStream<Void>.makeStream()
  let calls = CallsUnderWay()

  /// Opens and migrates the database. Throws ``SetupError`` with words for the operator.
  init(_ settings: ServerSettings, _ base: ServerBase, ids: IDSource) async throws {
    var settings = settings
    let (clock, logger, metrics, ledger) = (base.clock, base.logger, base.metrics, base.ledger)
    let secrets = try Secrets(directory: settings.secretsDirectory, ids: ids)
    // Tests of clients make accounts all day.
    if settings.isDevelopment { settings.callLimits.signUps = 0 }
    // These keys are public (wire contract, Edition of a request).
    if settings.isDevelopment && isLoopback(settings.host) {
      settings.keys.merge(EditionName.developmentKeys) { $1 }
    }
    let allEditions = EditionName.allCases.map { Edition.named($0, offset: settings.offset(of: $0) ?? 0) }
    let editions = allEditions.filter { settings.edition ?? $0.id == $0.id }
    let development = settings.isDevelopment ? Development(clock: clock, ids: ids, instruments: base.instruments) : nil
    let providers = try Providers(
      settings.providers, clock: clock, development: development, troubles: metrics.troubles)
    let sender =
      try await settings.providers.pushSender(lifetime: settings.push.lifetime, logger: logger) ?? development?.pushes
    settings.domain.tellsDevices = sender != nil
    let mailSender = try mailSender(settings.mail, development)
    settings.domain.sendsMail = mailSender != nil

    let announcements = Announcements()
    let sink = AuditSink(settings, clock: clock, logger: logger)
    let opened = try await openMadang(
      settings, clock: clock, ids: ids, pools: base.pools, logger: logger,
      announce: { event in
        guard case .audited(let record) = event else { return announcements.announce(event) }
        sink.take(record)
      },
      prepare: { [settings] in try await $0.migrateOwnDatabase(settings) })
    if let warning = settings.publicDatabaseWarning { logger.warning("\(warning)") }
    if settings.providers.countsTestPayments {
      logger.warning(
        "payments.portone.pg is empty: payments through test channels of PortOne v1, which cost nothing, count")
    }
    let (madang, tokenKey) = try await opened.settled(settings, secrets)
    // Before anybody can sign in.
    try await madang.surveyPasswords()
    let keys = KnownKeys(settings.keys, madang: madang)
    await keys.load()

    let held = HeldConnects(ledger, clock: clock)
    let channel = try madang.database.makeNotificationChannel("madang")
    let notices = channel.map { CommitNotices($0, secret: tokenKey) }
    let tries = SignInTries(settings.callLimits, clock: clock, secret: tokenKey, notices: notices)
    let recent = RecentAddresses(madang: madang, held: held, secret: tokenKey, notices: notices)
    let service = Service(
      madang: madang, settings: settings, keys: keys, tokens: await AccessTokens(secret: tokenKey),
      limits: CallLimits(settings.callLimits, clock: clock), tries: tries, recent: recent, ledger: ledger, held: held,
      cookie: SocketCookie(secret: tokenKey, path: base.socketPath, settings: settings.domain),
      socketIO: base.socketIO, editions: editions,
      providers: providers,
      development: development, metrics: metrics,
      refusals: RefusedSignIns(madang, perMinute: settings.auditSinks.refusalsPerMinute),
      links: LinkRequests(madang, settings, metrics: metrics),
      securityLog: SecurityLog(logger, linesPerMinute: settings.limits.securityLines, clock: clock),
      readinessProbe: ReadinessProbe { problem in
        if let problem {
          logger.error("not ready", metadata: ["reason": "\(problem)"])
        } else {
          logger.notice("ready again")
        }
      } check: {
        try await madang.database.ping()
        try await madang.files.ping()
      },
      loopback: settings.isDevelopment
        ? nil : LoopbackWatch(proxies: settings.trustedProxies, hasTLS: settings.tls.isUsed, logger: logger),
      doctorProbe: DoctorProbe(secret: tokenKey),
      failureLog: FailureLog(logger, linesPerMinute: settings.limits.failureLines, clock: clock), logger: logger)
    let pushes = PushQueue(
      madang: madang, sender: sender, settings: settings.push, editions: allEditions, metrics: metrics)
    let mails = MailQueue(madang: madang, sender: mailSender, settings: settings.mail, metrics: metrics)
    let sockets = RoomSockets(service, endings: base.nextEndings())
    let housekeeping = Housekeeping(service, sockets)
    let dispatcher = Dispatcher(
      madang: madang, after: try await madang.latestChanges(), channel: channel, notices: notices
    ) {
      tries.hear($0)
      recent.hear($0)
    } act: { change, isLate in
      guard announcements.isConnected else { return }
      sockets.act(on: change, isLate: isLate)
      switch change {
      case .roomDeleted, .workspaceDeleted: housekeeping.clearDeletedSoon()
      case .membershipEnded, .membershipBegan, .sessionEnded, .sessionsEnded: break
      }
    } recheck: {
      sockets.checkAllAgain()
    } deliver: { chat in
      // What another backend has replaced tells sockets nothing more.
      guard announcements.isConnected else { return }
      sockets.deliver(chat)
    }
    let clockWatch = ClockWatch(madang, isDevelopment: settings.isDevelopment, logger: logger)
    announcements.connect { [instruments = base.instruments] event in
      dispatcher.committed(event)
      switch event {
      case .chatPosted(let chat):
        instruments?.posted(chat)
        clockWatch.posted(in: chat.room.id.number, dated: chat.createdAt)
      case .pushQueued: pushes.pushQueued()
      case .mailQueued: mails.mailQueued()
      case .mailLeftOut(let reason): metrics.mailLeftOut(.init(reason))
      case .changed, .audited: break
      }
    }
    (self.service, self.sockets, self.dispatcher, self.announcements) = (service, sockets, dispatcher, announcements)
    self.sink = sink
    services = [
      dispatcher, housekeeping, pushes, mails, AnnouncementQueue(madang: madang), service.refusals, service.links,
      AlarmWatch(service), DatabaseFileWatch(service: service, mails: mailSender), clockWatch,
    ]
  }

  func admit(_ request: ConnectRequest) async -> Admission { await sockets.admit(request, dispatcher) }
  func connected(_ socket: Socket) { sockets.connected(socket, dispatcher) }
  func disconnected(_ socket: Socket) { sockets.disconnected(socket, dispatcher) }

  /// The newest chat of each room of these sockets that is there; of none if they cannot be read.
  func seqs(ofRooms sockets: [(socket: Socket, reason: AdmittedSockets.Reason)]) async -> [Int64: Int64] {
    do { return try await service.madang.lastSeqs(of: Set(sockets.map(\.reason.room))) } catch {
      service.logger.warning("sockets cannot be kept", metadata: ["error": "\(String(reflecting: error))"])
      return [:]
    }
  }

  /// Takes over sockets in rooms from a backend whose place it takes. Those that have no right to be there any more are
  /// disconnected, and all if their rooms cannot be read.
  ///
  /// - Parameter known: The newest chats of their rooms before it took that place, as far as they were asked for.
  func adopt(
    _ others: [(socket: Socket, reason: AdmittedSockets.Reason)], after known: [Int64: Int64]
  ) async {
    let joinedSince = others.filter { known[$0.reason.room] == nil }
    let seqs = await seqs(ofRooms: joinedSince).merging(known) { _, known in known }
    for (socket, reason) in others {
      guard let seq = seqs[reason.room] else {
        socket.disconnect()
        continue
      }
      sockets.adopt(socket, reason)
      dispatcher.joined(reason.room, after: seq)
    }
  }

  /// Does the work beside the requests until the server is to stop, or another backend takes its place.
  func run() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { [services] in
        try await withThrowingTaskGroup(of: Void.self) { group in
          for service in services { group.addTask { try await service.run() } }
          try await group.waitForAll()
        }
      }
      group.addTask { [retirement] in for await _ in retirement.stream {} }
      try await group.next()
      group.cancelAll()
    }
  }

  /// Another backend has taken its place: sockets hear nothing more of this one, connects that wait are decided by the other
  /// one, and the work beside the requests ends.
  func stepAside() {
    announcements.disconnect()
    retirement.continuation.finish()
    service.held.endAll()
  }

  func close() async {
    await service.refusals.write(isLast: true)
    await service.madang.database.close()
    await sink.close()
    // It leads back to the domain, which would never be freed.
    announcements.disconnect()
  }
}

/// What sends mails; nil where that is off.
private func mailSender(_ settings: MailSettings, _ development: Development?) throws -> (any MailSender)? {
  settings.server.isEmpty ? development?.mails : try SMTPSender(settings)
}
