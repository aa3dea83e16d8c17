import Foundation
import Hummingbird
import Logging
import MadangAPI
import MadangCore
import NIOCore
import NIOPosix
import ServiceLifecycle
import SocketIOProtocol
import SocketIOServer
import Storage

/// A server that is set up and may be run.
public struct MadangServer: Sendable {
  private let application: Application<Responder>
  private let service: Service
  private let listening: Listening
  /// Nil if there is no listener for operators.
  private let operationsListening: Listening?
  /// Held for as long as the server is there.
  private let lock: FileLock?
  /// The domain behind the server, for tests.
  package var madang: Madang { service.madang }
  /// Whether sockets of accounts are connected, for tests.
  package var hasAdmittedSockets: Bool { service.recent.hasConnected }

  /// Serves until the task is cancelled or a graceful shutdown is triggered, then closes the database.
  public func run() async throws {
    let settings = service.settings
    var failure: (any Error)?
    do {
      try await wordingTaken(settings.host, settings.port, cure: "choose another with --port (0 takes a free one)") {
        try await service.socketIO.run(application, stopsOnSignals: false)
      }
    } catch {
      failure = error
    }
    let reason = failure ?? SetupError("the server stopped before it listened")
    listening.failed(reason)
    operationsListening?.failed(reason)
    await service.madang.database.close()
    service.instruments?.attach(nil)
    if let failure { throw failure }
  }

  /// The port, once the server accepts connections, operators' as well. Throws if it stopped before.
  public var port: Int {
    get async throws {
      _ = try await operationsListening?.port
      return try await listening.port
    }
  }

  /// How many connects of sockets wait to be let in; for tests.
  package var held: Int { service.ledger.totals[.heldConnects] ?? 0 }

  /// The port of the operators' listener, once it accepts connections; for tests, if there is one.
  package var operationsPort: Int? {
    get async throws { try await operationsListening?.port }
  }

  fileprivate init(
    _ application: Application<Responder>, _ service: Service, _ listening: Listening, operations: Listening?,
    lock: FileLock?
  ) {
    self.application = application
    self.service = service
    self.listening = listening
    operationsListening = operations
    self.lock = lock
  }
}

/// How connections of HTTP are limited. Trusted proxies carry everybody's.
private func httpChannel(
  _ settings: ServerSettings, _ ledger: Ledger, _ instruments: Instruments?
) -> SocketIOServer.HTTPChannelConfiguration {
  var configuration = SocketIOServer.HTTPChannelConfiguration()
  configuration.maxConnections = settings.connections.total
  configuration.reserveConnection = { [trusted = settings.trustedProxies] peer in
    guard instruments?.admitsConnection() ?? true else { return nil }
    guard let network = connectionOwner(peer, trusted) else { return {} }
    return ledger.place(.connections, for: KeyHash(network))
  }
  return configuration
}

/// The network at the other end of a connection; nil for a trusted proxy.
private func connectionOwner(_ peer: SocketAddress?, _ trusted: [IPNetwork]) -> String? {
  let address = peer?.ipAddress.flatMap { IPAddress($0) }
  if let address, trusted.contains(where: { $0.contains(address) }) { return nil }
  return ClientAddress(peer: peer, headers: [:], trusted: []).network
}

/// Puts a server together: the one place where all parts meet, for the program and for tests alike. Opens and migrates the
/// database. Throws ``SetupError`` with words for the operator.
///
/// - Parameters:
///   - clock: The server's time; development mode moves it on.
///   - ids: Where ids and secrets come from.
///   - isAlone: Whether to refuse an embedded database on which a server runs. Tests run two in one process.
///   - instruments: Of a kit for tests of clients, in development mode only.
package func buildServer(
  _ settings: ServerSettings, clock: Clock = Clock(), ids: IDSource = IDSource(), isAlone: Bool = false,
  instruments: Instruments? = nil, logger: Logger
) async throws -> MadangServer {
  let problems = settings.problems()
  guard problems.isEmpty else { throw SetupError(problems.joined(separator: "\n")) }
  try RestoreMarker(in: settings.dataDirectory).refuseServing()
  try settings.makeDataDirectory()
  let lock =
    isAlone
    ? try settings.takeServerLock(
      cure: "stop it, or name another directory with --data. Several servers need PostgreSQL (--database-url)") : nil
  let secrets = try Secrets(directory: settings.secretsDirectory, ids: ids)
  var settings = settings
  if settings.isDevelopment {
    for edition in EditionName.allCases { settings.keys[edition.developmentKey] = edition }
  }
  let allEditions = EditionName.allCases.map { Edition.named($0, offset: settings.offset(of: $0) ?? 0) }
  let editions = allEditions.filter { settings.edition ?? $0.id == $0.id }

  let instruments = settings.isDevelopment ? instruments : nil
  let development = settings.isDevelopment ? Development(clock: clock, ids: ids, instruments: instruments) : nil
  let sender = try await pushSender(settings.providers, development)
  settings.domain.tellsDevices = sender != nil
  let group = MultiThreadedEventLoopGroup.singleton
  var socketConfiguration = SocketIOServer.Configuration()
  socketConfiguration.conduct = .lenient
  socketConfiguration.node = settings.node.isEmpty ? nil : settings.node
  socketConfiguration.allowEIO3 = settings.allowsEIO3
  socketConfiguration.pingInterval = .seconds(settings.socketPingInterval)
  socketConfiguration.pingTimeout = .seconds(settings.socketPingTimeout)
  socketConfiguration.allowedOrigins = SocketIOServer.AllowedOrigins(others: settings.socketOrigins)
  // Who may use sockets may read the answers to polls, too.
  if !settings.socketOrigins.isEmpty {
    socketConfiguration.cors = .origins(Set(settings.socketOrigins.map { $0.lowercased() }), credentials: true)
  }
  socketConfiguration.allowJSONP = settings.allowsJSONP
  // A hundred rooms joined at once, before anything is read.
  socketConfiguration.maxUnreadReplyBytes = 16_384
  socketConfiguration.maxSessions = settings.socketSessions.total
  socketConfiguration.packetInterceptor = instruments?.packetInterceptor
  let ledger = Ledger(settings.ledgerLimits)
  let trusted = settings.trustedProxies
  if settings.loopPercent < 100 {
    socketConfiguration.connectionOwner = { connectionOwner($0, trusted) }
    socketConfiguration.maxLoopPart = Double(settings.loopPercent) / 100
  }
  socketConfiguration.reserveSession = { request in
    let client = ClientAddress(peer: request.remoteAddress, headers: request.headers, trusted: trusted)
    return ledger.place(.sessions, for: KeyHash(client.network))
  }
  socketConfiguration.reserveMessage = { [size = socketConfiguration.maxHTTPBufferSize] request in
    let client = ClientAddress(peer: request.remoteAddress, headers: request.headers, trusted: trusted)
    return ledger.place(.memory, size, for: KeyHash(client.network))
  }
  let socketIO = SocketIOServer(configuration: socketConfiguration, eventLoopGroup: group, logger: logger)
  let announcements = Announcements()
  let opened = try await openMadang(
    settings, clock: clock, ids: ids, logger: logger, announce: { announcements.announce($0) },
    prepare: { [settings] in try await $0.migrateOwnDatabase(settings) })
  if let warning = settings.publicDatabaseWarning { logger.warning("\(warning)") }
  let (madang, tokenKey) = try await opened.settled(settings, secrets)
  let keys = KnownKeys(settings.keys, madang: madang)
  await keys.load()

  let metrics = Metrics()
  let held = HeldConnects(ledger)
  let channel = try madang.database.makeNotificationChannel("madang")
  let notices = channel.map(CommitNotices.init)
  let tries = SignInTries(settings.callLimits, clock: clock, secret: tokenKey, notices: notices)
  let recent = RecentAddresses(madang: madang, held: held, secret: tokenKey, notices: notices)
  let service = Service(
    madang: madang, settings: settings, keys: keys, tokens: await AccessTokens(secret: tokenKey),
    limits: CallLimits(settings.callLimits, clock: clock),
    tries: tries, recent: recent,
    ledger: ledger, held: held,
    cookie: SocketCookie(secret: tokenKey, path: socketConfiguration.path, settings: settings.domain),
    socketIO: socketIO, editions: editions,
    providers: Providers(settings.providers, clock: clock, development: development),
    development: development, instruments: instruments, metrics: metrics,
    securityLog: SecurityLog(logger, linesPerMinute: settings.securityLinesPerMinute, clock: clock),
    readinessProbe: ReadinessProbe {
      try await madang.database.ping()
      try await madang.files.ping()
    }, logger: logger)
  instruments?.attach(ServerControls(service: service))
  let pushes = PushQueue(
    madang: madang, sender: sender, settings: settings.push,
    editions: allEditions, metrics: metrics)
  let sockets = RoomSockets(service)
  let housekeeping = Housekeeping(service, sockets)
  let dispatcher = Dispatcher(
    madang: madang, after: try await madang.latestChanges(), channel: channel, notices: notices
  ) {
    tries.hear($0)
    recent.hear($0)
  } act: { change, isLate in
    sockets.act(on: change, isLate: isLate)
    switch change {
    case .roomDeleted, .workspaceDeleted: housekeeping.clearDeletedSoon()
    case .membershipEnded, .membershipBegan, .sessionEnded, .sessionsEnded: break
    }
  } recheck: {
    sockets.checkAllAgain()
  } deliver: {
    sockets.deliver($0)
  }
  sockets.register(dispatcher)
  announcements.connect { event in
    dispatcher.committed(event)
    if case .chatPosted = event { pushes.chatPosted() }
  }

  let listening = Listening()
  let operationsListening = settings.operations.map { _ in Listening() }
  var services: [any ServiceLifecycle.Service] = [dispatcher, housekeeping, pushes]
  if let (host, port) = settings.operations {
    let listener = Application(
      responder: OperationsResponder(service: service),
      configuration: ApplicationConfiguration(address: .hostname(host, port: port)),
      onServerRunning: { channel in operationsListening?.began(channel.localAddress?.port ?? 0) },
      eventLoopGroupProvider: .shared(group), logger: logger)
    services.append(ListenerService(listener: listener, host: host, port: port, setting: "MADANG_OPERATIONS"))
  }
  let application = Application(
    responder: Responder(service: service),
    server: socketIO.httpServer(configuration: httpChannel(settings, ledger, instruments)),
    configuration: ApplicationConfiguration(address: .hostname(settings.host, port: settings.port)),
    services: services,
    onServerRunning: { channel in listening.began(channel.localAddress?.port ?? 0) },
    eventLoopGroupProvider: .shared(group), logger: logger)
  return MadangServer(application, service, listening, operations: operationsListening, lock: lock)
}

/// What brings notifications to devices; nil where that is off.
private func pushSender(_ settings: ProviderSettings, _ development: Development?) async throws
  -> (any PushSender)?
{
  guard !settings.firebase.accountFile.isEmpty else { return development?.pushes }
  let calls = ProviderCalls(timeout: .seconds(settings.firebase.timeout))
  return try await FirebaseMessaging(settings.firebase, calls: calls)
}

/// Builds a server with the system's clock and randomness, the only one on an embedded database.
public func makeServer(_ settings: ServerSettings, logger: Logger) async throws -> MadangServer {
  try await buildServer(settings, isAlone: true, logger: logger)
}
