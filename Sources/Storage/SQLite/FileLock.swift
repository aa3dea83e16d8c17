import Foundation
import Synchronization

/// A lock on a file of its own, shared by many or had by one; the system gives it back with the process.
package final class FileLock: Sendable {
  private let path: String
  private let descriptor = Mutex<CInt?>(nil)

  /// - Parameter path: made by the first who takes the lock, and left there.
  package init(path: String) {
    self.path = path
  }

  deinit {
    release()
  }

  /// Takes the lock with others, or instead of having it alone. Waits for whoever has it alone.
  func share() throws(StorageError) {
    let code = lock(LOCK_SH)
    guard code == 0 else { throw failure(code) }
  }

  /// Takes the lock alone. False when others have it; then this one does not have it any more.
  package func takeAlone() throws(StorageError) -> Bool {
    let code = lock(LOCK_EX | LOCK_NB)
    guard code == 0 || code == EWOULDBLOCK else { throw failure(code) }
    return code == 0
  }

  package func release() {
    descriptor.withLock { descriptor in
      if let open = descriptor {
        // Said in words: a child process that is just being started has the file open too, and closing here would leave
        // the lock with it until its program runs.
        flock(open, LOCK_UN)
        close(open)
      }
      descriptor = nil
    }
  }

  /// Answers zero or the number of the error.
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
