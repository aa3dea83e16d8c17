import Foundation

/// An IPv4 or IPv6 address in canonical form: IPv4 within IPv6 (`::ffff:192.0.2.1`) is IPv4.
package struct IPAddress: Hashable, Sendable {
  /// Either 4 or 16 bytes.
  package let bytes: [UInt8]

  /// Parses the notation of sockets and proxies: with surrounding blanks, quotes, brackets, a port or a zone (`"[2001:db8::1]:4711"`).
  package init?(_ text: some StringProtocol) {
    var text = text.trimmingWhitespace()
    guard text.utf8.count <= 80 else { return nil }
    if text.hasPrefix("\""), text.hasSuffix("\""), text.count > 1 { text = String(text.dropFirst().dropLast()) }
    if text.hasPrefix("[") {
      text = String(text.dropFirst().prefix { $0 != "]" })
    } else if text.contains("."), text.split(separator: ":", omittingEmptySubsequences: false).count == 2 {
      text = String(text.prefix { $0 != ":" })
    }
    text = String(text.prefix { $0 != "%" })
    if let four = Self.parse(text, AF_INET, size: 4) {
      bytes = four
    } else if let sixteen = Self.parse(text, AF_INET6, size: 16) {
      bytes = Self.unmapped(sixteen)
    } else {
      return nil
    }
  }

  /// Parses the host of a URL or a setting. Only brackets around IPv6 are allowed besides the address.
  package init?(host: some StringProtocol) {
    let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
    let text = isBracketed ? String(host.dropFirst().dropLast()) : String(host)
    if !isBracketed, let four = Self.parse(text, AF_INET, size: 4) {
      bytes = four
    } else if let sixteen = Self.parse(text, AF_INET6, size: 16) {
      bytes = Self.unmapped(sixteen)
    } else {
      return nil
    }
  }

  /// Takes the bytes of a socket address, 4 or 16.
  package init(bytes: [UInt8]) { self.bytes = bytes.count == 4 ? bytes : Self.unmapped(bytes) }

  /// The IPv4 address inside an IPv6 address, if there is one.
  private static func unmapped(_ sixteen: [UInt8]) -> [UInt8] {
    let isMapped = sixteen.prefix(10).allSatisfy { $0 == 0 } && sixteen[10] == 0xFF && sixteen[11] == 0xFF
    return isMapped ? Array(sixteen.suffix(4)) : sixteen
  }

  private static func parse(_ text: String, _ family: Int32, size: Int) -> [UInt8]? {
    // The system call would stop at a NUL.
    guard !text.utf8.contains(0) else { return nil }
    var bytes = [UInt8](repeating: 0, count: size)
    return inet_pton(family, text, &bytes) == 1 ? bytes : nil
  }

  /// In the system's notation.
  package var text: String {
    let family = bytes.count == 4 ? AF_INET : AF_INET6
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { buffer in
      guard let text = inet_ntop(family, bytes, buffer.baseAddress, socklen_t(buffer.count)) else { return "" }
      return String(cString: text)
    }
  }

  /// The address in the system's notation, and the network that counts as one caller: an IPv4 address, or the /64 of IPv6 that every home
  /// has.
  package var texts: (address: String, network: String) {
    let address = text
    return (address, bytes.count == 4 ? address : prefix(bytes: 8))
  }

  /// The network that stays the same when a provider assigns a new address: the /24 of IPv4, the /48 of IPv6.
  package var site: String { prefix(bytes: bytes.count == 4 ? 3 : 6) }

  private func prefix(bytes count: Int) -> String {
    let rest = [UInt8](repeating: 0, count: bytes.count - count)
    return "\(IPAddress(bytes: bytes.prefix(count) + rest).text)/\(count * 8)"
  }

  package var isLoopback: Bool {
    bytes.count == 4 ? bytes[0] == 127 : bytes.dropLast().allSatisfy { $0 == 0 } && bytes[15] == 1
  }
}

/// A range of addresses such as `10.0.0.0/8`; a single address is a range of one.
public struct IPNetwork: Hashable, Sendable {
  private let address: IPAddress
  private let prefix: Int

  /// Nil for invalid text. Surrounding blanks are ignored.
  public init?(_ text: some StringProtocol) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count <= 2, let first = parts.first, let address = IPAddress(first) else { return nil }
    let bits = address.bytes.count * 8
    var prefix = bits
    if parts.count == 2 {
      guard var number = Int(parts[1].trimmingWhitespace()), (0...128).contains(number) else { return nil }
      // ::ffff:10.0.0.0/104 is 10.0.0.0/8.
      if bits == 32, first.contains(":") { number -= 96 }
      guard (0...bits).contains(number) else { return nil }
      prefix = number
    }
    self.address = address
    self.prefix = prefix
  }

  /// Whether the range is larger than the proxies of any organisation need.
  package var isTooLarge: Bool { prefix < (address.bytes.count == 4 ? 8 : 16) }

  /// In the notation of settings.
  public var text: String { "\(address.text)/\(prefix)" }

  package func contains(_ other: IPAddress) -> Bool {
    guard other.bytes.count == address.bytes.count else { return false }
    var rest = prefix
    for (own, theirs) in zip(address.bytes, other.bytes) {
      guard rest > 0 else { return true }
      let mask = rest >= 8 ? 0xFF : ~(UInt8(0xFF) >> UInt8(rest))
      guard own & mask == theirs & mask else { return false }
      rest -= 8
    }
    return true
  }
}
