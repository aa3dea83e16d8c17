import Foundation

/// Finds out whether another room object, in this program or another, sends the outgoing chats of a room.
///
/// Each object holds a shared lock on one file as long as it exists; the lock ends with the program, even after a crash. An object that
/// gets it exclusively is the only one. Asking for the exclusive lock gives up the shared one for a moment, so only one object may ask at a
/// time: the one that holds the lock on a second file.
final class OutboxLock: Sendable {
  private let path: String
  private let presence: Int32
  private let turn: Int32

  /// - Parameter path: The path of the files, without their extensions.
  init(_ path: URL) throws(MadangError) {
    self.path = path.path
    presence = try Self.open(path.appendingPathExtension("lock"))
    do {
      turn = try Self.open(path.appendingPathExtension("turn"))
    } catch {
      close(presence)
      throw error
    }
  }

  private static func open(_ file: URL) throws(MadangError) -> Int32 {
    let descriptor = Foundation.open(file.path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .file(path: file.path, reason: String(cString: strerror(errno))) }
    return descriptor
  }

  /// The pause before asking again for a lock that another object holds.
  private static let pause: Duration = .milliseconds(20)

  /// Runs `body` if no other object is present: then outgoing chats of other owners were left behind. From then on this object is present.
  /// Waits for other objects that are in this call.
  ///
  /// For one caller at a time. It polls, because waiting in the system would block a thread of the shared pool.
  /// - Throws: `CancellationError` before anything is done, ``MadangError/file(path:reason:)`` if files cannot be locked, or the error of
  ///   `body`.
  func ifAlone(isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Void) async throws {
    while flock(turn, LOCK_EX | LOCK_NB) != 0 {
      guard errno == EWOULDBLOCK || errno == EINTR else {
        throw MadangError.file(path: path, reason: String(cString: strerror(errno)))
      }
      try await Task.sleep(for: Self.pause)
    }
    defer { flock(turn, LOCK_UN) }
    let isAlone = flock(presence, LOCK_EX | LOCK_NB) == 0
    // The other objects only hold shared locks, so this does not wait.
    defer { while flock(presence, LOCK_SH) != 0, errno == EINTR {} }
    if isAlone { try await body() }
  }

  deinit {
    close(presence)
    close(turn)
  }
}
