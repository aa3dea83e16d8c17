import Foundation
import NIOCore

/// Addresses of an authority, which other programs choose.
package enum AuthorityAddress {
  /// The longest one, in bytes.
  private static let longest = 2048

  /// Whether calls can be made to this address. The HTTP client ends the process at a port that does not exist.
  package static func isUsable(_ text: String) -> Bool { host(text) != nil }

  /// Whether an authority with this directory may name this address. Its addresses may be on any public host (RFC 8555), but it must not
  /// make the server call programs of its own network, unless the directory is there, too.
  static func isUsable(_ text: String, from directory: String) -> Bool {
    guard let host = host(text), let home = self.host(directory) else { return false }
    return host == home || !isLocal(host) || isLocal(home)
  }

  /// The host of an address that can be called, in lower case without brackets.
  private static func host(_ text: String) -> String? {
    guard text.utf8.count <= longest, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), let url = URL(string: text),
      let scheme = url.scheme?.lowercased(), ["http", "https"].contains(scheme), let host = url.host(), !host.isEmpty,
      !host.contains("%"), url.user() == nil, url.password() == nil, (1...65535).contains(url.port ?? 443)
    else { return nil }
    return host.lowercased().trimmingCharacters(in: ["[", "]"])
  }

  /// Whether a host is this machine or in a private network, by its spelling. A name can lead there, too, but no program there has a trusted
  /// certificate for that name.
  static func isLocal(_ host: String) -> Bool {
    let labels = host.split(separator: ".")
    if let address = try? SocketAddress(ipAddress: host, port: 0) { return isLocal(address) }
    // The last label of a name is no number: such hosts are addresses in other spellings, as 127.1.
    guard let last = labels.last, labels.count > 1, last.first?.isNumber == false else { return true }
    return ["localhost", "local", "internal", "lan", "home", "arpa"].contains(last)
  }

  private static func isLocal(_ address: SocketAddress) -> Bool {
    switch address {
    case .v4(let four): isLocal(withUnsafeBytes(of: four.address.sin_addr) { Array($0) })
    case .v6(let six): isLocal(withUnsafeBytes(of: six.address.sin6_addr) { Array($0) })
    case .unixDomainSocket: true
    }
  }

  /// - Parameter bytes: Of an address, 4 or 16.
  private static func isLocal(_ bytes: [UInt8]) -> Bool {
    guard bytes.count == 4 else {
      // Only 2000::/3 is public; 2002::/16 has an IPv4 address inside.
      return bytes[0] & 0xE0 != 0x20 || bytes.starts(with: [0x20, 0x02]) && isLocal(Array(bytes[2..<6]))
    }
    return switch (bytes[0], bytes[1]) {
    case (0, _), (10, _), (127, _), (100, 64...127), (169, 254), (172, 16...31), (192, 168), (198, 18...19),
      (224..., _):
      true
    default: false
    }
  }
}
