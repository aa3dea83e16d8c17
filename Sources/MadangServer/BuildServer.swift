import Logging
import MadangAPI
import MadangCore
import MadangOperations
import MadangProviders
import NIOPosix
import ServiceLifecycle
import SocketIOServer
import Storage

/// Builds a server: the one place where all parts meet, for the program and for tests. Opens and migrates the database. Throws
/// ``SetupError`` with words for the operator.
///
/// - Parameters:
///   - clock: The server's time. Development mode can change it.
///   - ids: The source of ids and secrets.
///   - pools: Threads for blocking work; several servers of a process may share them. If nil, the server makes its own.
///   - ledger: Counts what clients hold; servers behind one listener share it. If nil, the server makes its own.
///   - isAlone: Whether to refuse an embedded database that another server uses. Tests run two servers in one process.
///   - listens: Whether the server has listeners of its own.
///   - surroundings: Parts that other modules add, in development mode only.
///   - annex: What another target answers beside the API.
package func buildServer(
  _ settings: ServerSettings, clock: Clock = Clock(), ids: IDSource = IDSource(), pools: WorkerPools? = nil,
  ledger: Ledger? = nil, isAlone: Bool = false, listens: Bool = true, surroundings: Surroundings = Surroundings(),
  annex: AnnexMaker? = nil, logger: Logger
) async throws -> MadangServer {
  let lock = try settings.prepareToServe(clock, isAlone: isAlone, logger)
  let certificate = try settings.tls.certificate(logger)
  let surroundings = settings.isDevelopment ? surroundings : Surroundings()
  var served = settings.served
  let (ledger, metrics) = (ledger ?? Ledger(settings), Metrics())
  let outgoing = try await Outgoing(served, surroundings.standIns, metrics.troubles, clock: clock, logger: logger)
  (served.domain.pushesChats, served.domain.sendsMail) = (outgoing.pushes != nil, outgoing.mails != nil)
  let opened = try await OpenedDatabase(
    served, clock: clock, ids: ids, pools: pools ?? WorkerPools(settings), logger: logger)
  let sockets = socketConfiguration(settings, ledger)
  let socketIO = SocketIOServer(
    configuration: sockets, eventLoopGroup: MultiThreadedEventLoopGroup.singleton, logger: logger,
    packetHook: surroundings.packets)
  let limits = Limits(served, ledger, clock)
  let callers = await Callers(
    opened.madang, served, secret: opened.secret, notices: opened.notices, limits, cookiePath: sockets.path)
  let reports = Reports(opened.madang, served, secret: opened.secret, metrics)
  let service = Service(
    opened.madang, served, .all, callers, limits, reports, outgoing.providers, socketIO)
  let (rooms, background) = try await makeBackground(service, opened, outgoing)
  let listeners = listens ? Listeners(settings) : nil
  let certificates = certificate.flatMap { certificateWork(service, $0, listeners) }
  await certificates?.load()
  if isAlone {
    // A server starts even if its database accepts no writes.
    do { try await opened.madang.auditStart(settings.given) } catch {
      logger.error("this start was not recorded in the audit log", metadata: ["reason": "\(String(reflecting: error))"])
    }
  }
  return MadangServer(
    service, rooms, background, opened.sink, surroundings,
    annex: annex?(served, Secrets.key(for: "annex", from: opened.secret)),
    listeners: listeners,
    certificate: certificate, certificates: certificates, lock: lock)
}

/// Builds a server with the system's clock and randomness. It is the only server on an embedded database.
public func makeServer(_ settings: ServerSettings, logger: Logger) async throws -> MadangServer {
  try await buildServer(settings, isAlone: true, logger: logger)
}

extension ServerSettings {
  /// Refuses settings and states with which no server starts, and makes the data directory. Throws ``SetupError``.
  /// - Returns: The lock that keeps other servers off an embedded database, if the server is alone.
  fileprivate func prepareToServe(_ clock: Clock, isAlone: Bool, _ logger: Logger) throws -> FileLock? {
    let problems = problems()
    guard problems.isEmpty else { throw SetupError(problems.joined(separator: "\n")) }
    if isAlone { try refuseWrongClock(clock) }
    for finding in dangers() { logger.warning("\(finding.message)", metadata: ["cure": "\(finding.cure)"]) }
    if providers.countsTestPayments {
      logger.warning("payments.portone.pg is empty: free test payments of PortOne v1 are accepted as real ones")
    }
    try RestoreMarker(in: dataDirectory).refuseServing()
    try makeDataDirectory()
    guard isAlone else { return nil }
    return try takeServerLock(
      cure: "stop it, or name another directory with --data. Several servers need PostgreSQL (--database-url)")
  }

  /// These settings with the changes of development mode.
  fileprivate var served: ServerSettings {
    guard isDevelopment else { return self }
    var settings = self
    // Tests of clients create many accounts.
    settings.callLimits.signUps = 0
    // These keys are public (wire contract, Edition of a request).
    if isLoopback(host) { settings.keys.merge(EditionName.developmentKeys) { $1 } }
    return settings
  }
}

/// Orders the certificate and shows it; nil if it is in files.
private func certificateWork(
  _ service: Service, _ certificate: SocketIOServer.TLSCertificate, _ listeners: Listeners?
) -> CertificateWork? {
  let (settings, metrics) = (service.settings, service.reports.metrics)
  guard settings.tls.acme.isUsed else {
    metrics.setCertificateEnd(certificate.notValidAfter)
    return nil
  }
  let listener = CertificateWork.Listener { pair in
    _ = try SocketIOServer.TLSCertificate(chain: Array(pair.chain.utf8), key: Array(pair.key.utf8))
  } serve: { pair in
    try certificate.use(chain: Array(pair.chain.utf8), key: Array(pair.key.utf8))
    metrics.setCertificateEnd(certificate.notValidAfter)
  } answerCalls: { proofs in
    try certificate.answerAuthorities(
      Dictionary(proofs.map { ($0.name, (Array($0.pair.chain.utf8), Array($0.pair.key.utf8))) }) { first, _ in first })
  } isListening: {
    listeners?.haveBegun ?? false
  }
  return CertificateWork(service.madang, settings, listener)
}

/// Makes the parts that work beside requests: delivery of commits, queues, housekeeping and watches.
private func makeBackground(
  _ service: Service, _ opened: OpenedDatabase, _ outgoing: Outgoing
) async throws -> (LiveRooms, BackgroundWork) {
  let (madang, settings, callers) = (opened.madang, service.settings, service.callers)
  let metrics = service.reports.metrics
  let pushes = PushQueue(
    madang: madang, sender: outgoing.pushes, settings: settings.push, editions: Edition.all(settings), metrics: metrics)
  let mails = MailQueue(madang: madang, sender: outgoing.mails, settings: settings.mail, metrics: metrics)
  let sockets = RoomSockets(
    madang, settings, callers, service.limits, service.reports, service.admitted, service.socketIO)
  let housekeeping = Housekeeping(madang, settings, metrics, callers.recent, sockets)
  let rooms = LiveRooms(
    madang, callers, sockets, opened.announcements, after: try await madang.latestChanges(), channel: opened.channel,
    notices: opened.notices, deleted: { housekeeping.clearDeletedSoon() })
  let clockWatch = ClockWatch(madang, isDevelopment: settings.isDevelopment, logger: madang.logger)
  opened.announcements.connect { [dispatcher = rooms.dispatcher] event in
    dispatcher.committed(event)
    switch event {
    case .chatPosted(let chat): clockWatch.posted(in: chat.room.id.number, dated: chat.createdAt)
    case .pushQueued: pushes.pushQueued()
    case .mailQueued: mails.mailQueued()
    case .mailLeftOut(let reason): metrics.mailLeftOut(.init(reason))
    case .audited(let record): metrics.audited(record)
    case .changed: break
    }
  }
  let alarms = AlarmWatch(
    madang, settings, certificateEnd: { try $0.certificateEnd() }, troubles: metrics.troubles,
    leads: { metrics.now.leads })
  let console: [any ServiceLifecycle.Service] =
    service.console.map { [SeriesSampler(service: service, series: $0.series), $0.backups, $0.doctor] } ?? []
  let background = BackgroundWork(
    parts: console + [
      rooms.dispatcher, housekeeping, pushes, mails, AnnouncementQueue(madang: madang), service.reports.refusals,
      service.links, alarms, DatabaseFileWatch(madang, settings, mails: outgoing.mails), clockWatch,
      SlowFigures(madang: madang, metrics: metrics),
    ])
  return (rooms, background)
}
