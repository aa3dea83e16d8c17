import Foundation

/// Tells whether any other room object, of this program or another, sends what is to be sent to a room.
///
/// Each object holds a shared lock on one file for as long as it lives; it ends with the program however that ends. Whoever
/// gets it exclusively is alone. To ask for that gives the shared one up for a moment, so only one may ask at a time: whoever
/// holds the lock on a second file.
final class OutboxLock: Sendable {
  private let path: String
  private let presence: Int32
  private let turn: Int32

  /// - Parameter path: Of the files, without their extensions.
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

  /// How long to wait before asking again for a turn that somebody has.
  private static let pause: Duration = .milliseconds(20)

  /// Runs `body` if no other object is there: what is in the outbox and not this one's own was left behind then. From then on
  /// this one is there. Waits for others that are about the same.
  ///
  /// For one caller at a time. Asks again and again, because waiting in the system would take a thread away from everybody
  /// else.
  /// - Throws: `CancellationError` before anything is done, ``MadangError/file(path:reason:)`` where files cannot be locked, or
  ///   what `body` throws.
  func ifAlone(isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Void) async throws {
    while flock(turn, LOCK_EX | LOCK_NB) != 0 {
      guard errno == EWOULDBLOCK || errno == EINTR else {
        throw MadangError.file(path: path, reason: String(cString: strerror(errno)))
      }
      try await Task.sleep(for: Self.pause)
    }
    defer { flock(turn, LOCK_UN) }
    let isAlone = flock(presence, LOCK_EX | LOCK_NB) == 0
    // Nobody else asks for more than to be there, so this does not wait.
    defer { while flock(presence, LOCK_SH) != 0, errno == EINTR {} }
    if isAlone { try await body() }
  }

  deinit {
    close(presence)
    close(turn)
  }
}
