// Some builds take the fields of `stat` from CoreFoundation, others from Glibc, which Foundation exports.
import CoreFoundation
import Foundation
import MadangCore
import MadangOperations
import NIOCore
import NIOPosix
import ServiceLifecycle
import Synchronization

/// A listener at a Unix socket. A socket that a killed server has left is replaced; one that a program answers is not.
struct UnixSocketService: ServiceLifecycle.Service {
  let listener: any ServiceLifecycle.Service
  let file: UnixSocketFile

  func run() async throws {
    try await file.prepare()
    defer { file.remove() }
    try await listener.run()
  }
}

/// The file of a Unix socket.
///
/// NIO removes a socket by the name that it was bound to, without a look at what has the name by then. So it is bound to a name that is only
/// used here, and renamed: at the end only the own file is removed.
final class UnixSocketFile: Sendable {
  private struct Identity: Equatable {
    let device: UInt64
    let number: UInt64

    /// Nil if there is no file.
    init?(_ path: String) {
      var status = stat()
      guard lstat(path, &status) == 0 else { return nil }
      (device, number) = (UInt64(truncatingIfNeeded: status.st_dev), UInt64(status.st_ino))
    }
  }

  let path: String
  private let mode: Int
  private let own = Mutex<Identity?>(nil)

  init(path: String, mode: Int) { (self.path, self.mode) = (path, mode) }

  /// The name to bind the socket to: at most 6 bytes longer than the path.
  var boundPath: String { "\(path).\(String(getpid(), radix: 36))" }

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
    do {
      try await ClientBootstrap(group: group).connect(unixDomainSocketPath: path).get().close(promise: nil)
      throw SetupError("host: another program answers at \(path); stop it, or name another path")
    } catch let error as IOError where [ECONNREFUSED, ENOENT].contains(error.errnoCode) {
      // No program listens.
    } catch let error as IOError {
      // A listener that is too busy to accept, or one for another user.
      throw SetupError(
        "host: \(path) may be the socket of a running program (\(String(cString: strerror(error.errnoCode)))); stop it, remove "
          + "the file, or name another path")
    }
  }

  /// Gives the bound socket its name and lets the proxy connect. Throws ``SetupError``.
  func open() throws {
    own.withLock { $0 = Identity(boundPath) }
    guard chmod(boundPath, mode_t(mode)) == 0, rename(boundPath, path) == 0 else {
      throw SetupError("host: \(path) cannot be made (\(String(cString: strerror(errno))))")
    }
  }

  /// Removes the file, unless another server has its name now.
  func remove() {
    guard let own = own.withLock({ $0 }), Identity(path) == own else { return }
    unlink(path)
  }
}

extension ServerSettings {
  /// Nil for an address.
  var socketFile: UnixSocketFile? { socketPath.map { UnixSocketFile(path: $0, mode: socketMode) } }
}
