import MadangCore
import NIOCore

extension IPAddress {
  /// Nil for a socket of the file system.
  init?(_ address: SocketAddress) {
    // By their place, which is the same on Linux and macOS: the fields' names belong to modules that incremental builds confuse.
    switch address {
    case .v4(let four): self.init(bytes: withUnsafeBytes(of: four.address) { Array($0[4..<8]) })
    case .v6(let six): self.init(bytes: withUnsafeBytes(of: six.address) { Array($0[8..<24]) })
    case .unixDomainSocket: return nil
    }
  }
}
