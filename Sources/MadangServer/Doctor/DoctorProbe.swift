import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import MadangCore

/// Tells whoever can read the installation's secrets how a request of theirs arrived: what a proxy made of it.
struct DoctorProbe: Sendable {
  /// How a request arrived.
  struct Sight: Codable, Sendable {
    /// Who made the connection; empty for a socket of the file system.
    let peer: String
    let isPeerTrusted: Bool
    /// Whom the request is counted by.
    let address: String
    let isForwarded: Bool
    /// Whether others may stand behind the address.
    let isShared: Bool
    /// Whether the client is known to have come by TLS.
    let isSecure: Bool
    /// The name and port that the client called.
    let authority: String
    /// How many connections the server takes, as its open files allow.
    let connections: Int
    /// Signs of a proxy on the server's machine that it is not told of.
    let loopbackSigns: [LoopbackWatch.Sign]
  }

  /// How long a proof is good, in milliseconds, before and after the moment it was made: clocks of machines differ.
  static let lifetime: Int64 = 600_000

  private let secret: [UInt8]

  /// - Parameter secret: The key of access tokens.
  init(secret: [UInt8]) { self.secret = secret }

  /// What a request of the doctor shows: the time, in milliseconds since 1970, and what only who knows the secret makes of it.
  func proof(at time: Int64) -> String { "\(time).\(Secrets.key(for: "doctor \(time)", from: secret).hex)" }

  /// Whether this is the proof of a moment around now.
  func accepts(_ shown: String, at now: Int64) -> Bool {
    guard let time = Int64(shown.prefix { $0 != "." }) else { return false }
    let (age, overflow) = now.subtractingReportingOverflow(time)
    return !overflow && age.magnitude <= Self.lifetime.magnitude && KeyHash(shown) == KeyHash(proof(at: time))
  }

  /// How a request arrived that shows a proof; nil for others.
  func sight(_ request: Request, _ context: Context, _ service: Service) -> Sight? {
    guard let shown = request.headers[.doctor], accepts(shown, at: service.madang.clock.now) else { return nil }
    let peer = context.channel.remoteAddress?.ipAddress.flatMap { IPAddress($0) }
    let client = service.client(request.headers, peer: context.channel.remoteAddress)
    return Sight(
      peer: peer?.text ?? "",
      isPeerTrusted: peer.map { peer in service.settings.trustedProxies.contains { $0.contains(peer) } } ?? false,
      address: client.text, isForwarded: ClientAddress.isForwarded(request.headers), isShared: client.isShared,
      isSecure: client.isSecure || service.settings.tls.isUsed, authority: request.head.authority ?? "",
      connections: service.settings.limits.connections.total, loopbackSigns: service.loopback?.signs ?? [])
  }
}

extension HTTPField.Name {
  // A valid name by inspection, which `init?` cannot know.
  static let doctor = Self("X-Madang-Doctor") ?? .via
}
