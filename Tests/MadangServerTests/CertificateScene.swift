import ACME
import ACMESupport
import AsyncHTTPClient
import Foundation
import MadangCore
import MadangOperations
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import NIOTLS
import Storage
import Support
import Synchronization
import Testing

@testable import MadangServer

/// Servers that order their certificate from an authority of the test, which looks for proofs as a real one does.
struct CertificateScene: Sendable {
  static let name = "chat.example.com"
  let authority: StandInAuthority
  /// The servers of the name. The authority calls the last one.
  private let servers: Mutexed<[MadangServer]>

  final class Mutexed<Value: Sendable>: Sendable {
    private let mutex: Mutex<Value>
    init(_ value: Value) { mutex = Mutex(value) }
    var value: Value { mutex.withLock(\.self) }
    func change(_ body: (inout Value) -> Void) { mutex.withLock { body(&$0) } }
  }

  static func run(_ body: (CertificateScene) async throws -> Void) async throws {
    let servers = Mutexed<[MadangServer]>([])
    try await StandInAuthority.run { proof in
      do { return try await look(for: proof, at: servers) } catch { return ("connection", "\(error)") }
    } _: { authority in
      try await body(CertificateScene(authority: authority, servers: servers))
    }
  }

  func settings(
    _ challenge: ACMESettings.ChallengeChoice = .tlsALPN01, _ change: (inout ServerSettings) -> Void = { _ in }
  ) -> ServerSettings {
    var settings = World.settings(\.publicURL, "https://\(Self.name)")
    settings.operations = ("127.0.0.1", 0)
    settings.tls.redirectPort = 0
    settings.tls.acme.names = [Self.name]
    settings.tls.acme.directory = authority.directory
    settings.tls.acme.challenge = challenge
    settings.tls.acme.interval = .milliseconds(20)
    settings.housekeepingTurn = .milliseconds(20)
    change(&settings)
    return settings
  }

  /// Lets the authority call this server from now on.
  func lead(to world: World) { servers.change { $0.append(world.server) } }

  /// The certificate's names that a client sees.
  static func names(_ world: World) async throws -> [String] {
    let seen = try await connect(try await world.server.port, offering: "http/1.1")
    return try CertificateChain(pem: pem(seen)).names
  }

  /// The served certificate, as bytes.
  static func certificate(_ world: World) async throws -> [UInt8] {
    try await connect(try await world.server.port, offering: "http/1.1")
  }

  static func pem(_ der: [UInt8]) -> String {
    "-----BEGIN CERTIFICATE-----\n\(Data(der).base64EncodedString(options: .lineLength64Characters))\n-----END CERTIFICATE-----\n"
  }

  static func summary(_ world: World) async throws -> CertificateSummary {
    try await administration(world).certificate()
  }

  static func administration(_ world: World) -> Administration {
    Administration(world.server.madang, world.server.settings, actingAs: Administrator(name: "hana"))
  }

  /// Waits for a state of the certificate.
  static func until(
    _ world: World, _ what: String, _ condition: @Sendable (CertificateSummary) -> Bool
  ) async throws -> CertificateSummary {
    guard try await World.eventually({ condition(try await summary(world)) }) else {
      throw Missed(what: "\(what): \(try await summary(world))")
    }
    return try await summary(world)
  }

  private struct Missed: Error {
    let what: String
  }

  // MARK: As an authority

  private static func look(
    for proof: Proof, at servers: Mutexed<[MadangServer]>
  ) async throws -> (kind: String, detail: String)? {
    guard try await World.eventually({ !servers.value.isEmpty }), let server = servers.value.last else {
      return ("connection", "there is no server")
    }
    switch proof.kind {
    case .http01:
      let port = try await server.listeners?.redirect?.port ?? 0
      let response = try await HTTPClient.shared.execute(
        HTTPClientRequest(url: "http://127.0.0.1:\(port)/.well-known/acme-challenge/\(proof.token)"),
        timeout: .seconds(30))
      let text = String(buffer: try await response.body.collect(upTo: 4096))
      return response.status == .ok && text == proof.keyAuthorization
        ? nil : ("unauthorized", "\(response.status): \(text)")
    case .tlsALPN01:
      let seen = try await connect(try await server.port, offering: "acme-tls/1")
      let digest = SelfSigned.identifier(of: proof)
      return Data(seen).range(of: Data(digest)) == nil ? ("unauthorized", "another certificate") : nil
    }
  }

  /// The certificate that a server shows.
  static func connect(_ port: Int, offering applicationProtocol: String) async throws -> [UInt8] {
    var configuration = TLSConfiguration.makeClientConfiguration()
    configuration.certificateVerification = .none
    configuration.applicationProtocols = [applicationProtocol]
    let context = try NIOSSLContext(configuration: configuration)
    let promise = MultiThreadedEventLoopGroup.singleton.any().makePromise(of: [UInt8].self)
    let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          let tls = try NIOSSLClientHandler(context: context, serverHostname: name)
          try channel.pipeline.syncOperations.addHandlers([tls, Watch(tls, promise)])
        }
      }
      .connect(host: "127.0.0.1", port: port).get()
    let certificate = try await promise.futureResult.get()
    try? await channel.close()
    return certificate
  }

  private final class Watch: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private let tls: NIOSSLClientHandler
    private let promise: EventLoopPromise<[UInt8]>

    init(_ tls: NIOSSLClientHandler, _ promise: EventLoopPromise<[UInt8]>) { (self.tls, self.promise) = (tls, promise) }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
      guard case .some(.handshakeCompleted) = event as? TLSUserEvent else { return }
      promise.succeed((try? tls.peerCertificate?.toDERBytes()) ?? [])
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
      promise.fail(error)
      context.close(promise: nil)
    }

    // Also after a connection that did not come to be.
    func handlerRemoved(context: ChannelHandlerContext) { promise.fail(ChannelError.eof) }
  }
}
