import Crypto
import MadangCore

/// Answers a caller that can read the installation's secrets how its request arrived, that is, how a proxy changed it.
package struct DoctorProbe: Sendable {
  /// How a request arrived.
  package struct Sight: Codable, Sendable {
    /// The peer of the connection; empty for a Unix socket.
    let peer: String
    let isPeerTrusted: Bool
    /// The address that the request counts for.
    let address: String
    let isForwarded: Bool
    /// Whether several clients may share the address.
    let isShared: Bool
    /// Whether the client is known to use TLS.
    let isSecure: Bool
    /// The name and port that the client called.
    let authority: String
    /// How many connections the server can open, by its limit of open files.
    let connections: Int
    /// Signs of a proxy on the server's machine that is not in the settings.
    let loopbackSigns: [LoopbackSign]

    package init(
      peer: String, isPeerTrusted: Bool, address: String, isForwarded: Bool, isShared: Bool, isSecure: Bool,
      authority: String, connections: Int, loopbackSigns: [LoopbackSign]
    ) {
      (self.peer, self.isPeerTrusted, self.address) = (peer, isPeerTrusted, address)
      (self.isForwarded, self.isShared, self.isSecure) = (isForwarded, isShared, isSecure)
      (self.authority, self.connections, self.loopbackSigns) = (authority, connections, loopbackSigns)
    }
  }

  /// How long a proof is valid, in milliseconds, before and after its creation, because clocks of machines differ.
  static let lifetime: Int64 = 600_000
  /// The header with the proof.
  package static let header = "X-Madang-Doctor"

  private let secret: [UInt8]

  /// - Parameter secret: The key of access tokens.
  package init(secret: [UInt8]) { self.secret = secret }

  /// The proof in a request of the doctor: the time in milliseconds since 1970, and a code that needs the secret.
  func proof(at time: Int64) -> String { "\(time).\(Secrets.key(for: "doctor \(time)", from: secret).hex)" }

  /// Whether this is a valid proof of a moment near now.
  package func accepts(_ shown: String, at now: Int64) -> Bool {
    guard let time = Int64(shown.prefix { $0 != "." }) else { return false }
    let (age, overflow) = now.subtractingReportingOverflow(time)
    return !overflow && age.magnitude <= Self.lifetime.magnitude && Self.digest(shown) == Self.digest(proof(at: time))
  }

  /// Comparing digests does not reveal how much of a wrong proof was right.
  private static func digest(_ text: String) -> SHA256Digest { SHA256.hash(data: Array(text.utf8)) }
}
