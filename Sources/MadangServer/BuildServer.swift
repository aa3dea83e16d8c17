import Foundation
import Logging
import MadangAPI
import MadangCore
import MadangOperations
import NIOCore
import NIOPosix
import ServiceLifecycle
import SocketIOProtocol
import SocketIOServer
import Storage

/// How sockets are served.
private func socketConfiguration(_ settings: ServerSettings, _ ledger: Ledger) -> SocketIOServer.Configuration {
  var configuration = SocketIOServer.Configuration()
  configuration.conduct = .lenient
  configuration.node = settings.node.isEmpty ? nil : settings.node
  configuration.allowEIO3 = settings.sockets.allowsEIO3
  configuration.pingInterval = .seconds(settings.sockets.pingInterval)
  configuration.pingTimeout = .seconds(settings.sockets.pingTimeout)
  // A proxy may call the server by another name, or leave out the port: people reach it by its public URL all the same.
  configuration.allowedOrigins = SocketIOServer.AllowedOrigins(
    others: settings.sockets.origins + (PublicURL(settings.publicURL).map { [$0.origin] } ?? []))
  configuration.forwardedAuthority = { [trusted = settings.trustedProxies] headers, peer in
    ClientAddress.forwardedHost(headers, peer: peer, trusted: trusted)
  }
  // Who may use sockets may read the answers to polls, too.
  if !settings.sockets.origins.isEmpty {
    configuration.cors = .origins(Set(settings.sockets.origins.map { $0.lowercased() }), credentials: true)
  }
  configuration.allowJSONP = settings.sockets.allowsJSONP
  // A hundred rooms joined at once, before anything is read.
  configuration.maxUnreadReplyBytes = 16_384
  configuration.maxSessions = settings.limits.sessions.total
  let (trusted, trust) = (settings.trustedProxies, settings.peerTrust)
  if settings.limits.loopPercent < 100 {
    configuration.connectionOwner = { connectionOwner($0, trusted) }
    configuration.maxLoopPart = Double(settings.limits.loopPercent) / 100
  }
  configuration.reserveSession = { request in
    let client = ClientAddress(peer: request.remoteAddress, headers: request.headers, trust: trust)
    return ledger.place(.sessions, for: client.networkHash)
  }
  configuration.reserveMessage = { [size = configuration.maxHTTPBufferSize] request in
    let client = ClientAddress(peer: request.remoteAddress, headers: request.headers, trust: trust)
    return ledger.place(.memory, size, for: client.networkHash)
  }
  return configuration
}

/// Puts a server together: the one place where all parts meet, for the program and for tests alike. Opens and migrates the
/// database. Throws ``SetupError`` with words for the operator.
///
/// - Parameters:
///   - clock: The server's time; development mode moves it on.
///   - ids: Where ids and secrets come from.
///   - pools: Threads for what blocks; several servers of a process may share them. If nil, the server makes its own.
///   - ledger: What clients have taken of the limits, which servers behind one listener share. If nil, the server makes its own.
///   - isAlone: Whether to refuse an embedded database on which a server runs. Tests run two in one process.
///   - listens: Whether the server has listeners of its own.
///   - surroundings: What stands around it, in development mode only.
package func buildServer(
  _ settings: ServerSettings, clock: Clock = Clock(), ids: IDSource = IDSource(), pools: WorkerPools? = nil,
  ledger: Ledger? = nil, isAlone: Bool = false, listens: Bool = true, surroundings: Surroundings = Surroundings(),
  logger: Logger
) async throws -> MadangServer {
  let problems = settings.problems()
  guard problems.isEmpty else { throw SetupError(problems.joined(separator: "\n")) }
  if isAlone { try refuseWrongClock(clock) }
  for finding in settings.dangers() { logger.warning("\(finding.message)", metadata: ["cure": "\(finding.cure)"]) }
  try RestoreMarker(in: settings.dataDirectory).refuseServing()
  try settings.makeDataDirectory()
  let lock =
    isAlone
    ? try settings.takeServerLock(
      cure: "stop it, or name another directory with --data. Several servers need PostgreSQL (--database-url)") : nil
  let certificate = settings.tls.isUsed ? try settings.tls.certificate(logger) : nil
  let ledger = ledger ?? Ledger(settings)
  let surroundings = settings.isDevelopment ? surroundings : Surroundings()
  let sockets = socketConfiguration(settings, ledger)
  let socketIO = SocketIOServer(
    configuration: sockets, eventLoopGroup: MultiThreadedEventLoopGroup.singleton, logger: logger,
    packetHook: surroundings.packets)
  let parts = ServerParts(
    settings: settings, clock: clock, ids: ids, pools: pools ?? WorkerPools(settings), ledger: ledger,
    socketIO: socketIO, socketPath: sockets.path, standIns: surroundings.standIns, logger: logger)
  let built = try await parts.build()
  if isAlone {
    // A server whose database takes no writes now still tells what it has.
    do { try await built.service.madang.auditStart(settings.given) } catch {
      logger.error("this start was not recorded in the audit log", metadata: ["reason": "\(String(reflecting: error))"])
    }
  }
  return MadangServer(
    built.service, built.rooms, built.background, built.sink, surroundings,
    listeners: listens ? Listeners(settings) : nil, certificate: certificate, lock: lock)
}

/// Builds a server with the system's clock and randomness, the only one on an embedded database.
public func makeServer(_ settings: ServerSettings, logger: Logger) async throws -> MadangServer {
  try await buildServer(settings, isAlone: true, logger: logger)
}
