import AsyncHTTPClient
import NIOSSL
import Synchronization

/// Connections to providers. They close with the last reference to this object.
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
  ///   - authorities: Certificate authorities to trust in addition to the system's.
  ///   - isShared: Whether calls share an HTTP/2 connection, if the server supports it.
  package init(authorities: [NIOSSLCertificate] = [], isShared: Bool = false) {
    var tls = TLSConfiguration.makeClientConfiguration()
    if !authorities.isEmpty { tls.additionalTrustRoots = [.certificates(authorities)] }
    // No redirects: keys and tokens go only to the address in the settings.
    var configuration = HTTPClient.Configuration(tlsConfiguration: tls, redirectConfiguration: .disallow)
    configuration.httpVersion = isShared ? .automatic : .http1Only
    // The caller limits the calls in progress.
    configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 1000
    self.configuration = configuration
    self.isShared = isShared
    current = Mutex(Client(configuration))
  }

  var client: Client { current.withLock(\.self) }

  /// A call by this client failed. A failed call closes its own connection, but a shared one stays; if a network swallows
  /// packets, the next calls over it would fail, too, so they get a new one. Calls in progress on the old one end by
  /// themselves.
  func failed(_ client: Client) {
    guard isShared else { return }
    current.withLock { if $0 === client { $0 = Client(configuration) } }
  }
}
