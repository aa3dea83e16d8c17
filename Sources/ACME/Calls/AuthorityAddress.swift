import Foundation

/// Addresses of an authority, which other programs choose.
package enum AuthorityAddress {
  /// The longest one, in bytes.
  private static let longest = 2048

  /// Whether calls can be made to this address. The HTTP client ends the process at a port that does not exist.
  package static func isUsable(_ text: String) -> Bool {
    guard text.utf8.count <= longest, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), let url = URL(string: text),
      let scheme = url.scheme?.lowercased(), ["http", "https"].contains(scheme), let host = url.host(), !host.isEmpty
    else { return false }
    return url.user() == nil && url.password() == nil && (1...65535).contains(url.port ?? 443)
  }
}
