import Hummingbird
import MadangCore
import MadangOperations
import NIOCore
import ServiceLifecycle
import SocketIOServer

extension MadangServer {
  /// The listeners, in the order in which they start, and the work on the certificate.
  var listenerServices: [ServiceGroupConfiguration.ServiceConfiguration] {
    guard let listeners else { return [] }
    var services: [ServiceGroupConfiguration.ServiceConfiguration] = []
    if let (host, port) = settings.operations {
      // Default limits, apart from those of clients: operators can connect even if clients use all connections.
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
      if let certificates {
        services.append(.init(service: certificates, serviceName: "orders of certificates"))
      } else {
        services.append(
          .init(
            service: CertificateWatch(
              certificate: certificate, interval: settings.tls.reloadInterval, reload: reloadCertificate,
              logger: service.logger),
            serviceName: "watch of the certificate"))
      }
      if let port = settings.tls.redirectPort {
        // With the limits and timeouts of the clients' listener, but without sockets.
        var channel = settings.httpChannel(service.limits.ledger, nil)
        surroundings.connections?(&channel)
        let responder = RedirectResponder(service: service, start: listeners.clients, certificates: certificates)
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
    var channel = settings.httpChannel(service.limits.ledger, certificate)
    surroundings.connections?(&channel)
    let listener = listener(
      settings.host, settings.port, channel, listeners.clients, file: settings.socketFile,
      sockets: surroundings.sockets
    ) { [self] request, channel in
      try await respond(to: request, over: channel, isForOperators: false) { try await answer($0, over: channel) }
    }
    services.append(.init(service: listener, serviceName: "listener"))
    return services
  }

  private static let noSockets: @Sendable (_ host: String?) -> SocketIOServer? = { _ in nil }

  // Requests are answered on event loops. Blocking work (database, files, password hashes) has its own threads.
  private func listener(
    _ host: String, _ port: Int, _ channel: SocketIOServer.HTTPChannelConfiguration, _ started: ListenerStart?,
    file: UnixSocketFile? = nil, sockets: (@Sendable (_ host: String?) -> SocketIOServer?)?,
    _ respond: @escaping SocketIOServer.Respond
  ) -> any ServiceLifecycle.Service {
    let listener = socketIO.listener(
      at: file.map { .unixDomainSocket(path: $0.boundPath) } ?? .hostname(host, port: port), configuration: channel,
      logger: service.logger, sockets: sockets,
      onRunning: { port in
        do {
          try file?.open()
          started?.began(port)
        } catch { started?.failed(error) }
      }, respond: respond)
    return file.map { UnixSocketService(listener: listener, file: $0) } ?? listener
  }

  /// Answers a request through the middleware of ``Surroundings``, if there is any.
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
