import Crypto

/// The place of a sign-in, as far as a server knows it.
package struct SignInPlace: Sendable {
  /// For example `203.0.113.0/24`; nil if unknown.
  package let network: String?
  /// The kind of device, in words.
  package let device: String

  package init(network: String?, device: String) { (self.network, self.device) = (network, device) }

  /// Differs for each account, so that hashes do not reveal who shares a place.
  func hash(of user: Int64, key: [UInt8]) -> String {
    let text = "\(user) \(network ?? "") \(device)"
    let code = HMAC<SHA256>.authenticationCode(for: Array(text.utf8), using: SymmetricKey(data: key))
    return Array(code).hex
  }
}
