import NIOSSL
import SocketIOProtocol
import Testing

@testable import SocketIOClient

@Suite("TLS, pins and proxies", .timeLimit(.minutes(2)))
struct SecurityTests {
  private static func certificate(_ pem: [UInt8], _ key: [UInt8]) throws -> TLSConfiguration {
    .makeServerConfiguration(
      certificateChain: try NIOSSLCertificate.fromPEMBytes(pem).map { .certificate($0) },
      privateKey: .privateKey(try NIOSSLPrivateKey(bytes: key, format: .pem)))
  }

  /// Runs `body` with a server behind TLS.
  private static func withTLS(
    _ change: (inout TLSConfiguration) throws -> Void = { _ in }, _ body: (Rig, Relay) async throws -> Void
  ) async throws {
    var settings = try certificate(Certificates.server, Certificates.serverKey)
    try change(&settings)
    let context = try NIOSSLContext(configuration: settings)
    try await Rig.with { (rig) async throws in
      try await Relay.with(.tls(context, to: rig.port)) { (relay) async throws in try await body(rig, relay) }
    }
  }

  /// Whether a client with these settings is let in, or why not.
  private static func outcome(
    _ rig: Rig, _ url: String, _ mode: ClientMode, _ change: (inout SocketIOClient.Configuration) throws -> Void
  ) async throws -> SocketIOClient.Failure? {
    var failure: SocketIOClient.Failure?
    try await rig.withClient(mode, url: url, change) { (client) async throws in
      for try await update in await client.updates(in: ["/"]) {
        switch update.kind {
        case .connected:
          try await client.note("here")
          return
        case .waiting(let reason, _):
          failure = reason
          return
        case .event, .refused, .disconnected: break
        }
      }
    }
    return failure
  }

  private static func isUntrusted(_ failure: SocketIOClient.Failure?) -> Bool {
    if case .untrusted = failure { true } else { false }
  }

  @Test("a server is trusted for those who vouch for it, and no other", arguments: ClientMode.allCases)
  func roots(mode: ClientMode) async throws {
    try await Self.withTLS { rig, relay in
      let url = "https://127.0.0.1:\(relay.port)"
      let trusted = try await Self.outcome(rig, url, mode) { $0.tls.roots = .pem(Certificates.ca) }
      #expect(trusted == nil)
      let others = try await Self.outcome(rig, url, mode) { $0.tls.roots = .pem(Certificates.otherCA) }
      #expect(Self.isUntrusted(others), "\(String(describing: others))")
      let systems = try await Self.outcome(rig, url, mode) { _ in }
      #expect(Self.isUntrusted(systems), "\(String(describing: systems))")
      let named = "https://localhost:\(relay.port)"
      let byName = try await Self.outcome(rig, named, mode) { $0.tls.roots = .pem(Certificates.ca) }
      #expect(byName == nil)
    }
  }

  @Test("only a pinned key is spoken to, and the error says which was seen", arguments: ClientMode.allCases)
  func pins(mode: ClientMode) async throws {
    try await Self.withTLS { rig, relay in
      let url = "wss://127.0.0.1:\(relay.port)"
      let spare = try SocketIOClient.PublicKeyPin("sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=")
      let pinned = try await Self.outcome(rig, url, mode) { configuration in
        configuration.tls.roots = .pem(Certificates.ca)
        configuration.tls.pins = [spare, try SocketIOClient.PublicKeyPin(Certificates.serverPin)]
      }
      #expect(pinned == nil)
      let requests = relay.requests("/socket.io/").count
      let other = try await Self.outcome(rig, url, mode) { configuration in
        configuration.tls.roots = .pem(Certificates.ca)
        configuration.tls.pins = [spare]
      }
      guard case .untrusted(let reason) = other else {
        Issue.record("\(String(describing: other))")
        return
      }
      #expect(reason.contains(Certificates.serverPin))
      #expect(relay.requests("/socket.io/").count == requests, "nothing was asked of it")
      // A pin does not take the place of trust.
      let unvouched = try await Self.outcome(rig, url, mode) {
        $0.tls.pins = [try SocketIOClient.PublicKeyPin(Certificates.serverPin)]
      }
      #expect(Self.isUntrusted(unvouched))
    }
  }

  @Test("a client shows its certificate to a server that asks for one", arguments: ClientMode.allCases)
  func identity(mode: ClientMode) async throws {
    try await Self.withTLS(
      { settings in
        settings.certificateVerification = .noHostnameVerification
        settings.trustRoots = .certificates(try NIOSSLCertificate.fromPEMBytes(Certificates.ca))
      },
      { rig, relay in
        let url = "https://127.0.0.1:\(relay.port)"
        let shown = try await Self.outcome(rig, url, mode) { configuration in
          configuration.tls.roots = .pem(Certificates.ca)
          configuration.tls.identity = .pem(chain: Certificates.client, key: Certificates.clientKey)
        }
        #expect(shown == nil)
        // In TLS 1.3 the server refuses when the client believes to be through.
        let none = try await Self.outcome(rig, url, mode) { $0.tls.roots = .pem(Certificates.ca) }
        #expect(none != nil)
      })
  }

  @Test("no version of TLS below the lowest allowed is spoken", arguments: ClientMode.allCases)
  func minimumVersion(mode: ClientMode) async throws {
    try await Self.withTLS(
      { $0.maximumTLSVersion = .tlsv12 },
      { rig, relay in
        let url = "https://127.0.0.1:\(relay.port)"
        let lower = try await Self.outcome(rig, url, mode) { $0.tls.roots = .pem(Certificates.ca) }
        #expect(lower == nil)
        let strict = try await Self.outcome(rig, url, mode) { configuration in
          configuration.tls.roots = .pem(Certificates.ca)
          configuration.tls.minimumVersion = .tlsv13
        }
        #expect(Self.isUntrusted(strict), "\(String(describing: strict))")
      })
  }

  @Test("settings of TLS and of a proxy that cannot be used are refused at once, and named")
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
    for url in ["ftp://x", "http://", "proxy:3128", "http://a%3Ab:c@x"] {
      #expect(throws: SocketIOError.badURL(url)) { try SocketIOClient.Proxy(url: url) }
    }
  }

  @Test("connections go through a proxy, which is shown a name and a password", arguments: ClientMode.allCases)
  func proxy(mode: ClientMode) async throws {
    try await Self.withTLS { rig, front in
      // mina:p:w
      try await Relay.with(.proxy(credentials: "bWluYTpwOnc=")) { (proxy) async throws in
        for url in [rig.url, "https://127.0.0.1:\(front.port)"] {
          let through = try await Self.outcome(rig, url, mode) { configuration in
            configuration.tls.roots = .pem(Certificates.ca)
            configuration.proxy = try SocketIOClient.Proxy(url: "http://mina:p%3Aw@127.0.0.1:\(proxy.port)")
          }
          #expect(through == nil)
          let port = url.split(separator: ":").last ?? ""
          #expect(!proxy.requests("CONNECT 127.0.0.1:\(port) HTTP/1.1").isEmpty)
        }
        let nameless = try await Self.outcome(rig, rig.url, mode) {
          $0.proxy = try SocketIOClient.Proxy(url: "http://127.0.0.1:\(proxy.port)")
        }
        #expect(nameless == .proxy("it asks for a name and a password (HTTP 407)"))
      }
    }
  }

  @Test("what is wrong with a proxy is told apart from what is wrong with the server", arguments: ClientMode.allCases)
  func badProxy(mode: ClientMode) async throws {
    try await Rig.with { (rig) async throws in
      let nobody = try await Self.outcome(rig, rig.url, mode) {
        $0.proxy = try SocketIOClient.Proxy(url: "http://127.0.0.1:1")
      }
      #expect(nobody == .proxy("it cannot be reached: connection refused"))
      // The Socket.IO server is no proxy.
      let other = try await Self.outcome(rig, rig.url, mode) {
        $0.proxy = try SocketIOClient.Proxy(url: rig.url)
      }
      guard case .proxy = other else {
        Issue.record("\(String(describing: other))")
        return
      }
    }
  }
}
