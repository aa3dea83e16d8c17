import Foundation

/// A file to which lines are appended. If it was renamed or removed, for example by log rotation, the next lines go to a
/// new file. Its calls block; one thread at a time makes them.
final class AuditFile {
  private let path: String
  private var descriptor: Int32 = -1
  /// Whether the last line may be incomplete, for example after a full disk.
  private var isTorn = false

  init(path: String) { self.path = path }

  deinit { closeFile() }

  /// Appends whole lines, in one write if the system allows it, so that lines of several processes do not mix.
  /// - Throws: `POSIXError`. Later lines are tried again.
  func append(_ lines: [UInt8]) throws {
    do {
      if !isCurrent { try reopen() }
      try write(isTorn ? [UInt8(ascii: "\n")] + lines : lines)
      isTorn = false
    } catch {
      closeFile()
      throw error
    }
  }

  /// Whether the open file is still the one at the path.
  private var isCurrent: Bool {
    var (ours, theirs) = (stat(), stat())
    return descriptor >= 0 && fstat(descriptor, &ours) == 0 && stat(path, &theirs) == 0
      && ours.st_ino == theirs.st_ino && ours.st_dev == theirs.st_dev
  }

  private func reopen() throws {
    closeFile()
    // Opening a pipe without a reader would block for ever.
    descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0o600)
    if descriptor < 0 { throw Self.lastError }
  }

  private func write(_ lines: [UInt8]) throws {
    var rest = lines[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        isTorn = isTorn || rest.count < lines.count
        throw Self.lastError
      }
      rest = rest.dropFirst(count)
    }
  }

  private func closeFile() {
    if descriptor >= 0 { close(descriptor) }
    descriptor = -1
  }

  private static var lastError: POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}
