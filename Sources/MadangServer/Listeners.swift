import Hummingbird
import MadangCore
import MadangOperations
import NIOCore
import ServiceLifecycle
import SocketIOServer

/// When the listeners of a server accept connections.
struct Listeners: Sendable {
  let clients = Listening()
  /// Nil if there is no listener for operators.
  let operators: Listening?
  /// Nil if no client is sent from HTTP to HTTPS.
  let redirect: Listening?

  init(_ settings: ServerSettings) {
    operators = settings.operations.map { _ in Listening() }
    redirect = settings.tls.isUsed ? settings.tls.redirectPort.map { _ in Listening() } : nil
  }

  func failed(_ reason: any Error) {
    for one in [clients, operators, redirect] { one?.failed(reason) }
  }

  /// The clients' port, once all accept connections.
  var port: Int {
    get async throws {
      _ = try await operators?.port
      _ = try await redirect?.port
      return try await clients.port
    }
  }
}

extension MadangServer {
  /// The listeners, in the order in which they start, and the watch of the certificate.
  var listenerServices: [ServiceGroupConfiguration.ServiceConfiguration] {
    guard let listeners else { return [] }
    var services: [ServiceGroupConfiguration.ServiceConfiguration] = []
    if let (host, port) = settings.operations {
      // The default limits, and no place of clients is taken: operators get in when the server is full.
      let channel = SocketIOServer.HTTPChannelConfiguration()
      let listener = listener(host, port, channel, listeners.operators, sockets: Self.noSockets) {
        [self] request, channel in
        try await respond(to: request, over: channel, isForOperators: true) { request in
          try await answerOperators(request, over: channel)
        }
      }
      services.append(
        .init(
          service: ListenerService(listener: listener, host: host, port: port, setting: "MADANG_OPERATIONS"),
          serviceName: "listener of operators"))
    }
    if let certificate {
      services.append(
        .init(
          service: CertificateWatch(
            certificate: certificate, interval: settings.tls.reloadInterval, logger: service.logger),
          serviceName: "watch of the certificate"))
      if let port = settings.tls.redirectPort {
        // As the clients', without sockets: with its limits and its patience.
        var channel = settings.httpChannel(service.ledger, nil)
        surroundings.connections?(&channel)
        let responder = RedirectResponder(service: service, listening: listeners.clients)
        let listener = listener(settings.host, port, channel, listeners.redirect, sockets: Self.noSockets) {
          [service] request, _ in
          try await responder.respond(to: request).dated(service.date)
        }
        services.append(
          .init(
            service: ListenerService(
              listener: listener, host: settings.host, port: port, setting: "MADANG_TLS_REDIRECT_PORT"),
            serviceName: "redirecting listener"))
      }
    }
    var channel = settings.httpChannel(service.ledger, certificate)
    surroundings.connections?(&channel)
    let listener = listener(
      settings.host, settings.port, channel, listeners.clients, sockets: surroundings.sockets
    ) { [self] request, channel in
      try await respond(to: request, over: channel, isForOperators: false) { try await answer($0, over: channel) }
    }
    services.append(.init(service: listener, serviceName: "listener"))
    return services
  }

  private static let noSockets: @Sendable (_ host: String?) -> SocketIOServer? = { _ in nil }

  // Event loops answer: nothing of ours blocks, as the database, files and passwords have threads of their own.
  private func listener(
    _ host: String, _ port: Int, _ channel: SocketIOServer.HTTPChannelConfiguration, _ started: Listening?,
    sockets: (@Sendable (_ host: String?) -> SocketIOServer?)?, _ respond: @escaping SocketIOServer.Respond
  ) -> any ServiceLifecycle.Service {
    socketIO.listener(
      at: .hostname(host, port: port), configuration: channel, logger: service.logger, sockets: sockets,
      onRunning: { started?.began($0) }, respond: respond)
  }

  /// Answers a request through what stands around the server.
  private func respond(
    to request: Request, over channel: any NIOCore.Channel, isForOperators: Bool, _ answer: Surroundings.Answering
  ) async throws -> Response {
    let response =
      if let middleware = surroundings.requests {
        try await middleware(request, channel, isForOperators, answer)
      } else {
        try await answer(request).response
      }
    return response.dated(service.date)
  }
}

extension ServerSettings {
  /// How connections of clients are limited. Trusted proxies carry many clients' requests.
  package func httpChannel(
    _ ledger: Ledger, _ certificate: SocketIOServer.TLSCertificate?
  ) -> SocketIOServer.HTTPChannelConfiguration {
    var configuration = SocketIOServer.HTTPChannelConfiguration()
    configuration.tls = certificate
    configuration.maxConnections = limits.connections.total
    configuration.idleTimeout = .seconds(idleSeconds)
    configuration.reserveConnection = { [trustedProxies] peer in
      guard let network = connectionOwner(peer, trustedProxies) else { return {} }
      return ledger.place(.connections, for: KeyHash(network))
    }
    return configuration
  }
}

/// The network at the other end of a connection; nil for a trusted proxy.
func connectionOwner(_ peer: SocketAddress?, _ trusted: [IPNetwork]) -> String? {
  let address = peer?.ipAddress.flatMap { IPAddress($0) }
  if let address, trusted.contains(where: { $0.contains(address) }) { return nil }
  return (address?.texts ?? ClientAddress.ofNoAddress).network
}
