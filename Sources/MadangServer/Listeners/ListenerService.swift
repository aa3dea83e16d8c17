import Foundation
import MadangCore
import NIOCore
import ServiceLifecycle

/// A listener beside the one for clients. If its port is taken, the error names the setting to change.
struct ListenerService: ServiceLifecycle.Service {
  let listener: any ServiceLifecycle.Service
  let host: String
  let port: Int
  /// The setting that names the address.
  let setting: String

  func run() async throws {
    try await wordingTaken(host, port, cure: "choose another port with \(setting)") { try await listener.run() }
  }
}

/// Runs `body`. If another program uses the port, throws ``SetupError`` instead of the system's error.
package func wordingTaken(_ host: String, _ port: Int, cure: String, _ body: () async throws -> Void) async throws {
  do { try await body() } catch let error as IOError where error.errnoCode == EADDRINUSE {
    throw SetupError("port \(port) of \(host) is in use; stop the other program, or \(cure)", takenPort: port)
  }
}
