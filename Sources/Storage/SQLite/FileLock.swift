import Foundation
import Synchronization

/// A lock on a separate file, shared by many processes or held by one. The system releases it when the process ends.
package final class FileLock: Sendable {
  private let path: String
  private let descriptor = Mutex<CInt?>(nil)

  /// - Parameter path: The lock file. It is created if absent, and never removed.
  package init(path: String) {
    self.path = path
  }

  deinit {
    release()
  }

  /// Takes the lock in shared mode, also if this process held it alone. Waits for a process that holds it alone.
  func share() throws(StorageError) {
    let code = lock(LOCK_SH)
    guard code == 0 else { throw failure(code) }
  }

  /// Takes the lock alone. Returns false if other processes have it; then this process no longer has its shared lock.
  package func takeAlone() throws(StorageError) -> Bool {
    let code = lock(LOCK_EX | LOCK_NB)
    guard code == 0 || code == EWOULDBLOCK else { throw failure(code) }
    return code == 0
  }

  package func release() {
    descriptor.withLock { descriptor in
      if let open = descriptor {
        // Unlocked explicitly: a child process that is just being started has the file open too, and close alone would leave the lock with
        // it until its program runs.
        flock(open, LOCK_UN)
        close(open)
      }
      descriptor = nil
    }
  }

  /// Returns zero or errno.
  private func lock(_ operation: CInt) -> CInt {
    descriptor.withLock { descriptor in
      let file = descriptor ?? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
      guard file >= 0 else { return errno }
      descriptor = file
      while flock(file, operation) != 0 {
        if errno != EINTR { return errno }
      }
      return 0
    }
  }

  private func failure(_ code: CInt) -> StorageError {
    StorageError(.other, "\(path) cannot be locked: \(String(cString: strerror(code)))")
  }
}
