import Crypto
import MadangCore

/// Tells whoever can read the installation's secrets how a request of theirs arrived: what a proxy made of it.
package struct DoctorProbe: Sendable {
  /// How a request arrived.
  package struct Sight: Codable, Sendable {
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

  /// How long a proof is good, in milliseconds, before and after the moment it was made: clocks of machines differ.
  static let lifetime: Int64 = 600_000
  /// The header that shows a proof.
  package static let header = "X-Madang-Doctor"

  private let secret: [UInt8]

  /// - Parameter secret: The key of access tokens.
  package init(secret: [UInt8]) { self.secret = secret }

  /// What a request of the doctor shows: the time, in milliseconds since 1970, and what only who knows the secret makes of it.
  func proof(at time: Int64) -> String { "\(time).\(Secrets.key(for: "doctor \(time)", from: secret).hex)" }

  /// Whether this is the proof of a moment around now.
  package func accepts(_ shown: String, at now: Int64) -> Bool {
    guard let time = Int64(shown.prefix { $0 != "." }) else { return false }
    let (age, overflow) = now.subtractingReportingOverflow(time)
    return !overflow && age.magnitude <= Self.lifetime.magnitude && Self.digest(shown) == Self.digest(proof(at: time))
  }

  /// Equal digests tell nothing of how much of a wrong proof was right.
  private static func digest(_ text: String) -> SHA256Digest { SHA256.hash(data: Array(text.utf8)) }
}
