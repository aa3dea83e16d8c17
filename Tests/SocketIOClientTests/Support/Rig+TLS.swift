import NIOSSL
import SocketIOClient
import SocketIOSupport

extension Rig {
  /// Runs `body` with a server behind TLS.
  static func withTLS(
    _ change: (inout TLSConfiguration) throws -> Void = { _ in }, _ body: (Rig, Relay) async throws -> Void
  ) async throws {
    var settings = TLSConfiguration.makeServerConfiguration(
      certificateChain: try NIOSSLCertificate.fromPEMBytes(Certificates.server).map { .certificate($0) },
      privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Certificates.serverKey, format: .pem)))
    try change(&settings)
    let context = try NIOSSLContext(configuration: settings)
    try await Rig.with { (rig) async throws in
      try await Relay.with(.tls(context, to: rig.port)) { (relay) async throws in try await body(rig, relay) }
    }
  }

  /// The result of connecting a client with these settings: accepted, or the error.
  func outcome(
    _ url: String, _ mode: ClientMode, _ change: (inout SocketIOClient.Configuration) throws -> Void
  ) async throws -> SocketIOClient.Failure? {
    var failure: SocketIOClient.Failure?
    try await withClient(mode, url: url, change) { (client) async throws in
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
}
