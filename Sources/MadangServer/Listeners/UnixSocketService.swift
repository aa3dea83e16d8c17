import Foundation
import MadangCore
import MadangOperations
import NIOCore
import NIOPosix
import ServiceLifecycle

/// A listener at a Unix socket. A socket that a killed server has left is replaced; one that a program answers is not.
struct UnixSocketService: ServiceLifecycle.Service {
  let listener: any ServiceLifecycle.Service
  let file: UnixSocketFile

  func run() async throws {
    try await file.prepare()
    // NIO removes the file when the listener ends.
    try await listener.run()
  }
}

/// The file of a Unix socket.
struct UnixSocketFile: Sendable {
  let path: String
  let mode: Int

  /// Makes sure that the file can be made. Throws ``SetupError``.
  func prepare() async throws {
    let folder = URL(filePath: path).deletingLastPathComponent().path
    guard access(folder, W_OK) == 0 else {
      throw SetupError(
        "host: \(folder) cannot be written (\(String(cString: strerror(errno)))); make it for the server's user, or name "
          + "another path")
    }
    guard let found = FileMode(URL(filePath: path)) else { return }
    guard found.isSocket else {
      throw SetupError("host: \(path) exists and is no socket; remove it, or name another path")
    }
    let group = MultiThreadedEventLoopGroup.singleton
    guard let answer = try? await ClientBootstrap(group: group).connect(unixDomainSocketPath: path).get() else {
      return
    }
    answer.close(promise: nil)
    throw SetupError("host: another program answers at \(path); stop it, or name another path")
  }

  /// Lets the proxy connect. Until then only the server's user can. Throws ``SetupError``.
  func open() throws {
    guard chmod(path, mode_t(mode)) == 0 else {
      throw SetupError("host.mode: \(path) cannot be changed (\(String(cString: strerror(errno))))")
    }
  }
}

extension ServerSettings {
  /// Nil for an address.
  var socketFile: UnixSocketFile? { socketPath.map { UnixSocketFile(path: $0, mode: socketMode) } }
}
