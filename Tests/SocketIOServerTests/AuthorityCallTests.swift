import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS
import SocketIOServer
import SocketIOSupport
import Testing

@Suite("Calls of authorities", .timeLimit(.minutes(5)))
struct AuthorityCallTests {
  /// What a client saw: the certificate, the protocol that was agreed, and whether the server closed the connection afterwards.
  private struct Seen: Equatable {
    var certificate: [UInt8] = []
    var agreed: String?
    var wasClosed = false
  }

  /// Connects as an authority or a browser does.
  private static func connect(
    _ port: Int, offering protocols: [String], name: String = "chat.example.com", cut: Bool = false
  ) async throws -> Seen {
    var configuration = TLSConfiguration.makeClientConfiguration()
    configuration.certificateVerification = .none
    configuration.applicationProtocols = protocols
    let context = try NIOSSLContext(configuration: configuration)
    let seen = MultiThreadedEventLoopGroup.singleton.any().makePromise(of: Seen.self)
    let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          if cut { try channel.pipeline.syncOperations.addHandler(Cutter()) }
          let tls = try NIOSSLClientHandler(context: context, serverHostname: name)
          try channel.pipeline.syncOperations.addHandlers([tls, Watch(tls, seen)])
        }
      }
      .connect(host: "127.0.0.1", port: port).get()
    let result = try await seen.futureResult.get()
    try? await channel.close()
    return result
  }

  /// Writes bytes in pieces of 50.
  private final class Cutter: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
      var bytes = unwrapOutboundIn(data)
      while bytes.readableBytes > 50, let piece = bytes.readSlice(length: 50) {
        context.writeAndFlush(wrapOutboundOut(piece), promise: nil)
      }
      context.write(wrapOutboundOut(bytes), promise: promise)
    }
  }

  private final class Watch: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private let tls: NIOSSLClientHandler
    private let promise: EventLoopPromise<Seen>
    private var seen = Seen()

    init(_ tls: NIOSSLClientHandler, _ promise: EventLoopPromise<Seen>) { (self.tls, self.promise) = (tls, promise) }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
      guard case .handshakeCompleted(let agreed) = event as? TLSUserEvent else { return }
      seen.agreed = agreed
      seen.certificate = (try? tls.peerCertificate?.toDERBytes()) ?? []
      guard agreed != "acme-tls/1" else { return }
      // Clients make requests.
      context.writeAndFlush(
        NIOAny(ByteBuffer(string: "GET /nothing HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")), promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
      seen.wasClosed = true
      promise.succeed(seen)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
  }

  private static func der(_ pem: [UInt8]) throws -> [UInt8] {
    try NIOSSLCertificate.fromPEMBytes(pem)[0].toDERBytes()
  }

  @Test("an authority's call gets the certificate of its name and is closed; clients get the server's, also meanwhile")
  func calls() async throws {
    let certificate = try SocketIOServer.TLSCertificate(chain: Certificates.server, key: Certificates.serverKey)
    var http = SocketIOServer.HTTPChannelConfiguration()
    http.tls = certificate
    try await TestServer.with(http: http) { (server) async throws in
      let (own, proof) = (try Self.der(Certificates.server), try Self.der(Certificates.client))
      for isPending in [false, true, false] {
        try certificate.answerAuthorities(
          isPending ? ["chat.example.com": (Certificates.client, Certificates.clientKey)] : [:])
        for cut in [false, true] {
          let call = try await Self.connect(server.port, offering: ["acme-tls/1"], cut: cut)
          #expect(
            call == Seen(certificate: isPending ? proof : own, agreed: isPending ? "acme-tls/1" : nil, wasClosed: true))
          let browser = try await Self.connect(server.port, offering: ["h2", "http/1.1"], cut: cut)
          #expect(browser == Seen(certificate: own, agreed: "http/1.1", wasClosed: true))
        }
        let other = try await Self.connect(server.port, offering: ["acme-tls/1"], name: "other.example.com")
        #expect(other.certificate == own && other.agreed == nil)
        // More than the one protocol is no call of an authority.
        let both = try await Self.connect(server.port, offering: ["acme-tls/1", "http/1.1"])
        #expect(both.certificate == own && both.agreed == "http/1.1")
      }
    }
  }

  @Test("a certificate in memory is replaced while clients are connected; one that does not fit its key is refused")
  func replacement() async throws {
    let certificate = try SocketIOServer.TLSCertificate(chain: Certificates.server, key: Certificates.serverKey)
    var http = SocketIOServer.HTTPChannelConfiguration()
    http.tls = certificate
    try await TestServer.with(http: http) { (server) async throws in
      #expect(throws: TLSCertificateError.self) {
        try certificate.use(chain: Certificates.client, key: Certificates.serverKey)
      }
      #expect(try await Self.connect(server.port, offering: []).certificate == Self.der(Certificates.server))
      try certificate.use(chain: Certificates.client, key: Certificates.clientKey)
      #expect(try await Self.connect(server.port, offering: []).certificate == Self.der(Certificates.client))
      #expect(try !certificate.reload() && certificate.chainFile == nil)
    }
  }
}
