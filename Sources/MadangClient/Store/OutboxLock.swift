import Foundation

/// Tells whether any other room object, of this program or another, sends what is to be sent to a room.
///
/// The lock lasts as long as this object, and ends with the program however it ends.
final class OutboxLock: Sendable {
  private let descriptor: Int32

  init(_ file: URL) throws(MadangError) {
    descriptor = open(file.path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .file(path: file.path, reason: String(cString: strerror(errno))) }
  }

  /// Whether this one is alone: what is in the outbox and not its own was left behind then. Whoever is made meanwhile is not
  /// alone. ``share()`` has to follow, whatever the answer is.
  func isAlone() -> Bool { flock(descriptor, LOCK_EX | LOCK_NB) == 0 }

  /// How long to wait before asking again for a lock that somebody holds while taking over what was left behind.
  private static let pause: Duration = .milliseconds(20)

  /// Lets others in. To be called once what was left behind has been taken over; waits for another that is about it.
  ///
  /// Asks again and again, because waiting in the system would take a thread away from everybody else.
  /// - Throws: `CancellationError`.
  func share() async throws {
    while flock(descriptor, LOCK_SH | LOCK_NB) != 0, errno == EWOULDBLOCK || errno == EINTR {
      try await Task.sleep(for: Self.pause)
    }
  }

  deinit { close(descriptor) }
}
