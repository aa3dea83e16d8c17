import Crypto

/// From where somebody signs in, as far as a server knows.
package struct SignInPlace: Sendable {
  /// `203.0.113.0/24`; nil where it is not known.
  package let network: String?
  /// The kind of device, in words.
  package let device: String

  package init(network: String?, device: String) { (self.network, self.device) = (network, device) }

  /// Another one for each account: nobody sees who shares a place.
  func hash(of user: Int64, key: [UInt8]) -> String {
    let text = "\(user) \(network ?? "") \(device)"
    let code = HMAC<SHA256>.authenticationCode(for: Array(text.utf8), using: SymmetricKey(data: key))
    return Array(code).hex
  }
}
