import AsyncHTTPClient
import NIOSSL
import Synchronization

/// Connections to other people's servers. They close when nobody holds these any more.
package final class ProviderConnections: Sendable {
  final class Client: Sendable {
    let http: HTTPClient

    fileprivate init(_ configuration: HTTPClient.Configuration) {
      http = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    deinit { http.shutdown { _ in } }
  }

  private let configuration: HTTPClient.Configuration
  private let isShared: Bool
  private let current: Mutex<Client>

  /// - Parameters:
  ///   - authorities: Who may vouch for a server, besides those whom the system trusts.
  ///   - isShared: Whether calls share a connection, by HTTP/2, where the server speaks it.
  package init(authorities: [NIOSSLCertificate] = [], isShared: Bool = false) {
    var tls = TLSConfiguration.makeClientConfiguration()
    if !authorities.isEmpty { tls.additionalTrustRoots = [.certificates(authorities)] }
    // No redirects: keys and tokens go to the address in the settings, and nowhere else.
    var configuration = HTTPClient.Configuration(tlsConfiguration: tls, redirectConfiguration: .disallow)
    configuration.httpVersion = isShared ? .automatic : .http1Only
    // Whoever calls bounds the calls under way.
    configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 1000
    self.configuration = configuration
    self.isShared = isShared
    current = Mutex(Client(configuration))
  }

  var client: Client { current.withLock(\.self) }

  /// A call by this client failed. A call takes a connection of its own with it. One that is shared stays, and where a network swallows
  /// packets the next calls over it would fail, too: they get a new one. Those under way on the old one end by themselves.
  func failed(_ client: Client) {
    guard isShared else { return }
    current.withLock { if $0 === client { $0 = Client(configuration) } }
  }
}
