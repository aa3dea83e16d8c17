import Foundation
import Hummingbird
import Logging
import MadangCore
import MadangOperations
import ServiceLifecycle
import SocketIOServer
import Storage

/// A server on one database, from start to close. It is run once.
public final class MadangServer: Sendable {
  let service: Service
  /// The background work.
  let background: BackgroundWork
  let surroundings: Surroundings
  package let annex: (any Annex)?
  /// Nil if another part of the process listens for this server.
  let listeners: Listeners?
  /// Nil without TLS.
  let certificate: SocketIOServer.TLSCertificate?
  /// Orders the certificate; nil if it is in files, or without TLS.
  let certificates: CertificateWork?
  private let rooms: LiveRooms
  private let sink: AuditSink
  /// Held as long as the server exists.
  private let lock: FileLock?

  init(
    _ service: Service, _ rooms: LiveRooms, _ background: BackgroundWork, _ sink: AuditSink,
    _ surroundings: Surroundings, annex: (any Annex)?, listeners: Listeners?,
    certificate: SocketIOServer.TLSCertificate?, certificates: CertificateWork?, lock: FileLock?
  ) {
    (self.service, self.rooms, self.background, self.sink) = (service, rooms, background, sink)
    self.annex = annex
    (self.surroundings, self.listeners, self.lock) = (surroundings, listeners, lock)
    (self.certificate, self.certificates) = (certificate, certificates)
    rooms.declare(in: service.socketIO)
  }

  package var settings: ServerSettings { service.settings }
  /// The domain behind the server.
  package var madang: Madang { service.madang }
  package var socketIO: SocketIOServer { service.socketIO }

  /// Serves until the task is cancelled or a graceful shutdown is triggered, then closes the database.
  public func run() async throws {
    var failure: (any Error)?
    do {
      try await wordingTaken(settings.host, settings.port, cure: "choose another with --port (0 takes a free one)") {
        let group = ServiceGroup(configuration: .init(services: services, logger: service.logger))
        try await socketIO.run(group, stopsOnSignals: false)
      }
    } catch {
      failure = error
    }
    listeners?.failed(failure ?? SetupError("the server stopped before it listened"))
    await close()
    if let failure { throw failure }
  }

  /// The background work, the listeners and the watch of the certificate. When one ends, all end.
  private var services: [ServiceGroupConfiguration.ServiceConfiguration] {
    // With names: a service without a name is described by its whole content, which takes a millisecond each.
    [.init(service: background, serviceName: "work beside requests")] + listenerServices
  }

  /// Ends all sessions without waiting for clients; no new ones begin. Requests are still answered.
  package func endSessions() async {
    rooms.fallSilent()
    service.limits.held.endAll()
    await socketIO.shutdown(awaitingClients: false)
  }

  /// Closes the database. For a server that was never run.
  package func close() async {
    await service.reports.refusals.write(isLast: true)
    await service.madang.database.close()
    await sink.close()
    // They refer back to the domain, which would never be freed.
    rooms.fallSilent()
  }

  /// Applies other settings of the domain. All other settings stay as they were at the start.
  /// - Parameter changes: The changes for the audit log, by name; never a secret.
  public func apply(_ settings: ServerSettings, changes: [String: String]) async throws {
    service.console?.apply(settings)
    try await madang.change(to: settings.domain, changes)
  }

  /// The URL in links of mails if the settings have none. For development mode, where the port may be known only once the
  /// server listens.
  public func assume(publicURL: String) { madang.assume(publicURL: publicURL) }

  /// Loads the certificate and its key again, if there are any; existing connections stay. Logs the result.
  public func reloadCertificate() {
    guard let certificate, certificates == nil else { return }
    certificate.reload(service.logger)
    service.reports.metrics.setCertificateEnd(certificate.notValidAfter)
  }

  /// The port, once all listeners accept connections. Throws if the server stopped before.
  public var port: Int {
    get async throws {
      guard let listeners else { throw SetupError("this server has no listener of its own") }
      return try await listeners.port
    }
  }

  /// The port of the operators' listener, once it accepts connections; for tests, if there is one.
  package var operationsPort: Int? {
    get async throws { try await listeners?.operators?.port }
  }

  /// Whether sockets of accounts are connected, for tests.
  package var hasAdmittedSockets: Bool { service.callers.recent.hasConnected }

  /// The number of waiting socket connects, for tests.
  package var held: Int { service.limits.ledger.totals[.heldConnects] ?? 0 }
}

/// The background work of a server. When one part ends, all end.
struct BackgroundWork: ServiceLifecycle.Service {
  let parts: [any ServiceLifecycle.Service]

  func run() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for part in parts { group.addTask { try await part.run() } }
      try await group.waitForAll()
    }
  }
}
