import MadangCore
import MadangOperations
import NIOCore
import SocketIOServer

/// The listeners of a server, each with its start.
struct Listeners: Sendable {
  let clients = ListenerStart()
  /// Nil if there is no listener for operators.
  let operators: ListenerStart?
  /// Redirects pages from HTTP to HTTPS. Nil if there is none.
  let redirect: ListenerStart?

  init(_ settings: ServerSettings) {
    operators = settings.operations.map { _ in ListenerStart() }
    redirect = settings.tls.isUsed ? settings.tls.redirectPort.map { _ in ListenerStart() } : nil
  }

  /// Reports to all waiting tasks that the listeners will not start.
  func failed(_ reason: any Error) {
    for one in [clients, operators, redirect] { one?.failed(reason) }
  }

  /// Whether all accept connections.
  var haveBegun: Bool { [clients, operators, redirect].allSatisfy { $0?.hasBegun ?? true } }

  /// The clients' port, once all accept connections.
  var port: Int {
    get async throws {
      _ = try await operators?.port
      _ = try await redirect?.port
      return try await clients.port
    }
  }
}

extension ServerSettings {
  /// The limits of client connections. Those of a trusted proxy count for no network: they carry requests of many clients, unless a PROXY
  /// header says which client one is for.
  package func httpChannel(
    _ ledger: Ledger, _ certificate: SocketIOServer.TLSCertificate?
  ) -> SocketIOServer.HTTPChannelConfiguration {
    var configuration = SocketIOServer.HTTPChannelConfiguration()
    configuration.tls = certificate
    configuration.maxConnections = limits.connections.total
    configuration.idleTimeout = .seconds(idleSeconds)
    let trust = peerTrust
    if takesProxyHeaders { configuration.expectsProxyHeader = { trust.trusts($0) } }
    configuration.reserveConnection = { peer in
      guard let network = connectionOwner(peer, trust) else { return {} }
      return ledger.place(.connections, for: KeyHash(network))
    }
    return configuration
  }
}
