import Foundation
import MadangAPI
import MadangCore
import MadangOperations
import NIOCore

/// A development server for devices in the local network.
enum LocalNetwork {
  /// The address by which other machines reach a server that listens on this host. Throws ``SetupError`` if there is none.
  static func address(of host: String) throws -> String {
    guard host == "0.0.0.0" || host == "::" else { return urlHost(host) }
    let devices = (try? System.enumerateDevices()) ?? []
    let candidates = devices.compactMap { device -> (name: String, address: String)? in
      guard case .v4 = device.address, let address = device.address?.ipAddress, !isLoopback(address) else {
        return nil
      }
      return (device.name, address)
    }
    // Prefer wired and wireless interfaces; those of containers and tunnels are not reachable from the network.
    let usual = candidates.first { device in ["en", "eth", "wl"].contains(where: device.name.hasPrefix) }
    guard let found = usual ?? candidates.first else {
      throw SetupError("--lan: this machine has no address in a local network; connect it, or name one with --host")
    }
    return found.address
  }

  /// Prints to standard error what devices need. Cameras can read the server's URL.
  static func tell(_ url: String, _ settings: ServerSettings) {
    var lines = ["For devices in this network: \(url)"]
    lines += settings.keys.sorted { $0.value.rawValue > $1.value.rawValue }.map {
      "  API key of edition \($0.value.rawValue): \($0.key)"
    }
    lines.append("  development calls: \(url)/_dev/\(settings.developmentToken)/...")
    Terminal.message(lines.joined(separator: "\n"))
    if Terminal.messageWidth != nil, let code = QRCode(url) { Terminal.picture(code.terminalText) }
  }
}
