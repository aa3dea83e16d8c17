import MadangCore
import NIOCore

extension IPAddress {
  /// Nil for a Unix socket.
  init?(_ address: SocketAddress) {
    // By offset, which is the same on Linux and macOS: the field names belong to modules that incremental builds confuse.
    switch address {
    case .v4(let four): self.init(bytes: withUnsafeBytes(of: four.address) { Array($0[4..<8]) })
    case .v6(let six): self.init(bytes: withUnsafeBytes(of: six.address) { Array($0[8..<24]) })
    case .unixDomainSocket: return nil
    }
  }
}
