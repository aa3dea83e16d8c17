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
  }

  private let key: String

  /// - Parameter secret: The key of access tokens.
  init(secret: [UInt8]) { key = Secrets.key(for: "doctor", from: secret).hex }

  /// What a request of the doctor shows.
  var proof: String { key }

  /// How a request arrived that shows the proof; nil for others.
  func sight(_ request: Request, _ context: Context, _ service: Service) -> Sight? {
    guard let shown = request.headers[.doctor], KeyHash(shown) == KeyHash(key) else { return nil }
    let peer = context.channel.remoteAddress?.ipAddress.flatMap { IPAddress($0) }
    let client = service.client(request.headers, peer: context.channel.remoteAddress)
    return Sight(
      peer: peer?.text ?? "",
      isPeerTrusted: peer.map { peer in service.settings.trustedProxies.contains { $0.contains(peer) } } ?? false,
      address: client.text, isForwarded: ClientAddress.isForwarded(request.headers), isShared: client.isShared,
      isSecure: client.isSecure || service.settings.tls != nil, authority: request.head.authority ?? "",
      connections: service.settings.connections.total)
  }
}

extension HTTPField.Name {
  // A valid name by inspection, which `init?` cannot know.
  static let doctor = Self("X-Madang-Doctor") ?? .via
}
