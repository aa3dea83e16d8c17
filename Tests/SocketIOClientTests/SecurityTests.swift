import NIOSSL
import SocketIOSupport
import Testing

@testable import SocketIOClient

@Suite("TLS and pins", .timeLimit(.minutes(5)))
struct SecurityTests {
  private static func isUntrusted(_ failure: SocketIOClient.Failure?) -> Bool {
    if case .untrusted = failure { true } else { false }
  }

  @Test("a server is trusted only if a trusted authority certifies it", arguments: ClientMode.allCases)
  func roots(mode: ClientMode) async throws {
    try await Rig.withTLS { rig, relay in
      let url = "https://127.0.0.1:\(relay.port)"
      let trusted = try await rig.outcome(url, mode) { $0.tls.roots = .pem(Certificates.ca) }
      #expect(trusted == nil)
      let others = try await rig.outcome(url, mode) { $0.tls.roots = .pem(Certificates.otherCA) }
      #expect(Self.isUntrusted(others), "\(String(describing: others))")
      let systems = try await rig.outcome(url, mode) { _ in }
      #expect(Self.isUntrusted(systems), "\(String(describing: systems))")
      let named = "https://localhost:\(relay.port)"
      let byName = try await rig.outcome(named, mode) { $0.tls.roots = .pem(Certificates.ca) }
      #expect(byName == nil)
    }
  }

  @Test(
    "the client connects only to a pinned key, and the error names the server's key", arguments: ClientMode.allCases)
  func pins(mode: ClientMode) async throws {
    try await Rig.withTLS { rig, relay in
      let url = "wss://127.0.0.1:\(relay.port)"
      let spare = try SocketIOClient.PublicKeyPin("sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=")
      let other = try await rig.outcome(url, mode) { configuration in
        configuration.tls.roots = .pem(Certificates.ca)
        configuration.tls.pins = [spare]
      }
      guard case .untrusted(let reason) = other else {
        Issue.record("\(String(describing: other))")
        return
      }
      #expect(reason.contains(Certificates.serverPin))
      #expect(relay.requests("/socket.io/").isEmpty, "nothing was asked of it")
      let pinned = try await rig.outcome(url, mode) { configuration in
        configuration.tls.roots = .pem(Certificates.ca)
        configuration.tls.pins = [spare, try SocketIOClient.PublicKeyPin(Certificates.serverPin)]
      }
      #expect(pinned == nil)
      // A pin does not replace trust.
      let unvouched = try await rig.outcome(url, mode) {
        $0.tls.pins = [try SocketIOClient.PublicKeyPin(Certificates.serverPin)]
      }
      #expect(Self.isUntrusted(unvouched))
    }
  }

  @Test("a client sends its certificate to a server that asks for one", arguments: ClientMode.allCases)
  func identity(mode: ClientMode) async throws {
    try await Rig.withTLS(
      { settings in
        settings.certificateVerification = .noHostnameVerification
        settings.trustRoots = .certificates(try NIOSSLCertificate.fromPEMBytes(Certificates.ca))
      },
      { rig, relay in
        let url = "https://127.0.0.1:\(relay.port)"
        let shown = try await rig.outcome(url, mode) { configuration in
          configuration.tls.roots = .pem(Certificates.ca)
          configuration.tls.identity = .pem(chain: Certificates.client, key: Certificates.clientKey)
        }
        #expect(shown == nil)
        // In TLS 1.3 the server refuses after the client has completed the handshake.
        let none = try await rig.outcome(url, mode) { $0.tls.roots = .pem(Certificates.ca) }
        #expect(none != nil)
      })
  }

  @Test("no TLS version below the lowest allowed is used", arguments: ClientMode.allCases)
  func minimumVersion(mode: ClientMode) async throws {
    try await Rig.withTLS(
      { $0.maximumTLSVersion = .tlsv12 },
      { rig, relay in
        let url = "https://127.0.0.1:\(relay.port)"
        let lower = try await rig.outcome(url, mode) { $0.tls.roots = .pem(Certificates.ca) }
        #expect(lower == nil)
        let strict = try await rig.outcome(url, mode) { configuration in
          configuration.tls.roots = .pem(Certificates.ca)
          configuration.tls.minimumVersion = .tlsv13
        }
        #expect(Self.isUntrusted(strict), "\(String(describing: strict))")
      })
  }

  @Test("invalid settings of TLS and of a proxy are refused at once, with their name")
  func badSettings() throws {
    func error(_ change: (inout SocketIOClient.Configuration) throws -> Void, url: String = "https://x")
      -> SocketIOError?
    {
      #expect(throws: SocketIOError.self) {
        var configuration = SocketIOClient.Configuration()
        try change(&configuration)
        _ = try SocketIOClient(url: url, configuration: configuration)
      }
    }
    #expect(error { $0.tls.roots = .file("/nowhere.pem") }?.description.contains("/nowhere.pem") == true)
    #expect(error { $0.tls.roots = .pem([1, 2]) }?.description.contains("roots") == true)
    #expect(error { $0.tls.identity = .files(chain: "/none", key: "/none") }?.description.contains("/none") == true)
    #expect(error { $0.tls.identity = .pem(chain: Certificates.client, key: []) }?.description.contains("key") == true)
    #expect(
      error { $0.tls.pins = [try SocketIOClient.PublicKeyPin("sha256/AAAA")] }?.description.contains("AAAA") == true)
    let pin = try SocketIOClient.PublicKeyPin(Certificates.serverPin)
    #expect(error({ $0.tls.pins = [pin] }, url: "http://x") == .badTLS("a key is pinned, but the URL is not https"))
    let proxy = try SocketIOClient.Proxy(url: "http://x")
    #expect(error({ $0.proxy = proxy }, url: "https://10.0.0.1")?.description.contains("10.0.0.1") == true)
    #expect(error({ $0.proxy = proxy }, url: "wss://[::1]")?.description.contains("::1") == true)
    for url in ["ftp://x", "http://", "proxy:3128", "http://a%3Ab:c@x"] {
      let told = url.hasSuffix("@x") ? "***@x" : url
      #expect(throws: SocketIOError.badURL(told)) { try SocketIOClient.Proxy(url: url) }
    }
  }
}
