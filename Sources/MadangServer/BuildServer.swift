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

/// How connections of HTTP are limited. Trusted proxies carry everybody's.
private func httpChannel(
  _ settings: ServerSettings, _ ledger: Ledger, _ instruments: Instruments?,
  _ certificate: SocketIOServer.TLSCertificate?
) -> SocketIOServer.HTTPChannelConfiguration {
  var configuration = SocketIOServer.HTTPChannelConfiguration()
  configuration.tls = certificate
  configuration.maxConnections = settings.limits.connections.total
  configuration.idleTimeout = .seconds(settings.idleSeconds)
  if let instruments {
    configuration.addressee = {
      switch instruments.addressee($0) {
      case .this: .this
      case .other(let server): .other(server.base.socketIO)
      case .nobody: .nobody
      }
    }
  }
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
  return (address?.texts ?? ClientAddress.ofNoAddress).network
}

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
///   - isAlone: Whether to refuse an embedded database on which a server runs. Tests run two in one process.
///   - instruments: Of a kit for tests of clients, in development mode only.
package func buildServer(
  _ settings: ServerSettings, clock: Clock = Clock(), ids: IDSource = IDSource(), pools: WorkerPools? = nil,
  isAlone: Bool = false, instruments: Instruments? = nil, logger: Logger
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
  let group = MultiThreadedEventLoopGroup.singleton
  let ledger = Ledger(settings.ledgerLimits)
  let instruments = settings.isDevelopment ? instruments : nil
  var sockets = socketConfiguration(settings, ledger)
  sockets.packetInterceptor = instruments?.packetInterceptor
  let base = ServerBase(
    settings: settings, clock: clock,
    socketIO: SocketIOServer(configuration: sockets, eventLoopGroup: group, logger: logger),
    socketPath: sockets.path, ledger: ledger, metrics: Metrics(), pools: pools ?? WorkerPools(settings),
    instruments: instruments, logger: logger)
  let backend = try await Backend(settings, base, ids: ids)
  if isAlone {
    // A server whose database takes no writes now still tells what it has.
    do { try await backend.service.madang.auditStart(settings.given) } catch {
      logger.error("the audit log has no row about this start", metadata: ["reason": "\(String(reflecting: error))"])
    }
  }
  let current = CurrentBackend(backend)
  current.register(with: base.socketIO)
  instruments?.attach(ServerControls(socketIO: base.socketIO, current: current))

  let listening = Listening()
  let operationsListening = settings.operations.map { _ in Listening() }
  // With names: a service without one is described by all that it holds, which takes a millisecond each.
  var services = [ServiceGroupConfiguration.ServiceConfiguration(service: current, serviceName: "backend")]
  // Event loops answer: nothing of ours blocks, as the database, files and passwords have threads of their own.
  func listen(
    _ host: String, _ port: Int, _ channel: SocketIOServer.HTTPChannelConfiguration, _ started: Listening?,
    _ respond: @escaping SocketIOServer.Respond
  ) -> any ServiceLifecycle.Service {
    base.socketIO.listener(
      at: .hostname(host, port: port), configuration: channel, logger: logger,
      onRunning: { started?.began($0) }, respond: respond)
  }
  if let (host, port) = settings.operations {
    // The default limits, and no place of clients is taken: operators get in when the server is full.
    var channel = SocketIOServer.HTTPChannelConfiguration()
    channel.addressee = { _ in .nobody }
    let responder = OperationsResponder(current: current)
    let listener = listen(host, port, channel, operationsListening) {
      try await responder.respond(to: $0, over: $1).dated(base.date)
    }
    services.append(
      .init(
        service: ListenerService(listener: listener, host: host, port: port, setting: "MADANG_OPERATIONS"),
        serviceName: "listener of operators"))
  }
  let redirectListening = certificate == nil ? nil : settings.tls.redirectPort.map { _ in Listening() }
  if let certificate {
    services.append(
      .init(
        service: CertificateWatch(certificate: certificate, interval: settings.tls.reloadInterval, logger: logger),
        serviceName: "watch of the certificate"))
    if let port = settings.tls.redirectPort {
      // As the server's own, without sockets: with its limits and its patience.
      var channel = httpChannel(settings, ledger, instruments, nil)
      channel.addressee = { _ in .nobody }
      let responder = RedirectResponder(current: current, listening: listening)
      let listener = listen(settings.host, port, channel, redirectListening) { request, _ in
        try await responder.respond(to: request).dated(base.date)
      }
      services.append(
        .init(
          service: ListenerService(
            listener: listener, host: settings.host, port: port, setting: "MADANG_TLS_REDIRECT_PORT"),
          serviceName: "redirecting listener"))
    }
  }
  services.append(
    .init(
      service: listen(
        settings.host, settings.port, httpChannel(settings, ledger, instruments, certificate), listening,
        Responder(base: base, current: current).respond(to:over:)),
      serviceName: "listener"))
  return MadangServer(
    services: services, base: base, current: current, listening: listening,
    operationsListening: operationsListening, redirectListening: redirectListening, certificate: certificate, lock: lock
  )
}

/// Builds a server with the system's clock and randomness, the only one on an embedded database.
public func makeServer(_ settings: ServerSettings, logger: Logger) async throws -> MadangServer {
  try await buildServer(settings, isAlone: true, logger: logger)
}
