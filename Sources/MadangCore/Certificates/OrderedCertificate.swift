/// A certificate that the servers of a database order by themselves: for some names, at one authority.
package struct CertificateID: Hashable, Sendable {
  /// The URL of the authority's directory.
  package let directory: String
  package let names: [String]

  package init(directory: String, names: [String]) { (self.directory, self.names) = (directory, names) }

  /// The names as they are stored: their order in the settings does not matter.
  var text: String { names.sorted().joined(separator: ",") }
}

/// The state of such a certificate. Times are in milliseconds since 1970.
package struct CertificateState: Sendable {
  /// What an administrator wants.
  package enum Wish: String, Sendable {
    case nothing = ""
    case renewal
    /// The present certificate is revoked first.
    case revocation
  }

  /// Grows with each certificate; 0 before the first one.
  package let revision: Int64
  /// In PEM; nil before the first one.
  package let chain: String?
  package let renewAt: Int64
  /// When the last try began; 0 before the first one.
  package let triedAt: Int64
  /// The earliest time of the next try.
  package let nextAt: Int64
  /// Until when the authority wants no further tries.
  package let heldUntil: Int64
  /// Failed tries since the last certificate.
  package let failures: Int
  package let failingSince: Int64?
  /// Why the last try failed, and what to do; empty if it did not.
  package let error: String
  package let cure: String
  /// When an order was begun whose certificate is not stored yet; nil if there is none.
  package let orderedAt: Int64?
  package let wish: Wish
  /// Whether a server has begun to fulfil the wish. It goes on at the next try, also after a failure.
  package let isWishTried: Bool

  private static let tried = " tried"

  /// A wish as it is stored.
  static func asked(_ wish: Wish, isTried: Bool) -> String {
    isTried && wish != .nothing ? wish.rawValue + tried : wish.rawValue
  }

  static func asked(_ stored: String) -> (wish: Wish, isTried: Bool) {
    let isTried = stored.hasSuffix(tried)
    return (Wish(rawValue: isTried ? String(stored.dropLast(tried.count)) : stored) ?? .nothing, isTried)
  }
}

/// A try that this server has claimed.
package struct CertificateTry: Sendable {
  /// When it began; it is over for this server when another one claims a try.
  let begunAt: Int64
  /// The failed tries before.
  package let failures: Int
  package let wish: CertificateState.Wish
  /// The present chain in PEM; nil if there is none.
  package let chain: String?
  /// Whether the present certificate is revoked, or will be by this try.
  package let isReplaced: Bool
  /// The address of a begun order whose certificate is not stored yet, and its private key in PEM; nil if there is none.
  package let order: (url: String, key: String)?
}

/// A certificate that a server can take.
package struct StoredCertificate: Sendable {
  package let revision: Int64
  /// In PEM.
  package let chain: String
  /// In PEM; nil if it was sealed with another `tokens.key`.
  package let key: String?
}

/// A proof that an authority looks for, as it is stored.
package struct CertificateProof: Equatable, Sendable {
  package let token: String
  package let name: String
  package let kind: String
  package let keyAuthorization: String

  package init(token: String, name: String, kind: String, keyAuthorization: String) {
    (self.token, self.name, self.kind, self.keyAuthorization) = (token, name, kind, keyAuthorization)
  }
}

/// How often certificates are tried. Authorities count, too.
package enum CertificatePlan {
  /// The pause after the first failure, in milliseconds. Each further failure doubles it. Longer than a try may take, so that no second
  /// server begins meanwhile.
  package static let firstPause: Int64 = 5 * 60_000
  package static let longestPause: Int64 = 86_400_000
  /// How often administrators may ask within ``askedWindow``.
  package static let askedLimit = 3
  package static let askedWindow: Int64 = 86_400_000
  /// The most certificates for the same names within ``window``.
  package static let limit = 5
  package static let window: Int64 = 7 * 86_400_000
  /// How long tries go on with a begun order, in milliseconds.
  static let orderLife: Int64 = 86_400_000
  /// A next try that is further ahead was planned by a wrong clock. Clocks of servers may differ by an hour.
  static let farAhead: Int64 = longestPause + 3_600_000
  /// How long a proof is shown at most, in milliseconds.
  static let proofLifetime: Int64 = 3_600_000
  /// When rows of names that are no longer in the settings are deleted, in milliseconds after their last try.
  static let remembered: Int64 = 400 * 86_400_000

  /// The pause after a number of failures.
  package static func pause(after failures: Int) -> Int64 {
    min(firstPause << min(max(failures - 1, 0), 20), longestPause)
  }

  /// The pause after a number of failures before a try that an administrator asks for, in milliseconds. With ``askedLimit`` it keeps all
  /// tries of an hour below the five failures that Let's Encrypt allows.
  package static func askedPause(after failures: Int) -> Int64 { failures < 3 ? 60_000 : 900_000 }

  /// When a certificate is renewed: at two thirds of its life, and up to a thirtieth later, so that not all servers of the world come at
  /// the same time.
  /// - Parameter random: From 0 to 255.
  package static func renewal(from start: Int64, until end: Int64, random: UInt8) -> Int64 {
    let life = max(0, end - start)
    return start + life / 3 * 2 + life / 30 * Int64(random) / 256
  }
}
