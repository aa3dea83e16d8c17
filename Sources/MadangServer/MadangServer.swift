import Foundation
import MadangCore
import ServiceLifecycle
import SocketIOServer
import Storage

/// A server that is set up and may be run.
public struct MadangServer: Sendable {
  /// The listeners, the backend's work and the watch of the certificate. When one ends, all do.
  let services: [ServiceGroupConfiguration.ServiceConfiguration]
  let base: ServerBase
  let current: CurrentBackend
  let listening: Listening
  /// Nil if there is no listener for operators.
  let operationsListening: Listening?
  /// Nil if nobody is sent from HTTP to HTTPS.
  let redirectListening: Listening?
  /// Nil without TLS.
  let certificate: SocketIOServer.TLSCertificate?
  /// Held for as long as the server is there.
  let lock: FileLock?

  /// The domain behind the server, for tests.
  package var madang: Madang { current.backend.service.madang }
  /// How many calls of its present database are under way, for tests.
  package var callsUnderWay: Int { current.backend.calls.count }
  /// Whether sockets of accounts are connected, for tests.
  package var hasAdmittedSockets: Bool { current.backend.service.recent.hasConnected }

  /// Serves until the task is cancelled or a graceful shutdown is triggered, then closes the database.
  public func run() async throws {
    let settings = base.settings
    var failure: (any Error)?
    do {
      try await wordingTaken(settings.host, settings.port, cure: "choose another with --port (0 takes a free one)") {
        try await withGracefulShutdownHandler {
          let group = ServiceGroup(configuration: .init(services: services, logger: base.logger))
          try await base.socketIO.run(group, stopsOnSignals: false)
        } onGracefulShutdown: {
          base.instruments?.stopping()
        }
      }
    } catch {
      failure = error
    }
    let reason = failure ?? SetupError("the server stopped before it listened")
    listening.failed(reason)
    operationsListening?.failed(reason)
    redirectListening?.failed(reason)
    await current.backend.close()
    base.instruments?.attach(nil)
    if let failure { throw failure }
  }

  /// Returns when the answers to all calls under `/_dev` are written, but for those that take longer than `limit`: their
  /// connections are closed.
  package func finishDevelopmentCalls(within limit: Duration) async {
    await base.developmentCalls.finish(within: limit)
  }

  /// Goes by other settings from now on: those of the domain. All others stay as they were when the server was set up.
  /// - Parameter changes: What the audit log tells of it, by name; never a secret.
  public func apply(_ settings: ServerSettings, changes: [String: String]) async throws {
    try await current.backend.service.madang.change(to: settings.domain, changes)
  }

  /// Where the settings name no URL for people, links of mails lead to this one from now on. For development, where a port may be known only
  /// when the server listens.
  public func assume(publicURL: String) { madang.assume(publicURL: publicURL) }

  /// Reads the certificate and its key again, if there are any; connections that there are stay. Says in the log what came of it.
  public func reloadCertificate() { certificate?.reload(base.logger) }

  /// The port, once the server accepts connections, operators' as well. Throws if it stopped before.
  public var port: Int {
    get async throws {
      _ = try await operationsListening?.port
      _ = try await redirectListening?.port
      return try await listening.port
    }
  }

  /// How many connects of sockets wait to be let in; for tests.
  package var held: Int { base.ledger.totals[.heldConnects] ?? 0 }

  /// The port of the operators' listener, once it accepts connections; for tests, if there is one.
  package var operationsPort: Int? {
    get async throws { try await operationsListening?.port }
  }
}
