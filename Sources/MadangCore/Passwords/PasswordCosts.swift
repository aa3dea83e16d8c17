import Crypto
import Synchronization

/// The costs at which passwords are stored. While there are several, some accounts answer faster than others; so the same share of unknown
/// addresses answers faster too.
package final class PasswordCosts: Sendable {
  private let counts = Mutex<[(method: PasswordHash.Method, count: Int)]>([])

  package init() {}

  func note(_ found: [(example: String, count: Int)]) {
    let known = found.compactMap { row in
      PasswordHash(stored: row.example).map { (method: $0.method, count: row.count) }
    }
    counts.withLock { $0 = known }
  }

  /// The cost of a sign-in with an unknown address, always the same for one address. Nil before the first survey.
  func decoy(for emailKey: String, key: [UInt8]) -> PasswordHash.Method? {
    let counts = counts.withLock(\.self)
    let total = counts.reduce(0) { $0 + $1.count }
    guard total > 0 else { return nil }
    let code = HMAC<SHA256>.authenticationCode(for: Array(emailKey.utf8), using: SymmetricKey(data: key))
    var place = Int(code.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) } % UInt64(total))
    for (method, count) in counts {
      if place < count { return method }
      place -= count
    }
    return nil
  }
}
