import Foundation

/// A file to which lines are added. When it was renamed or removed, as programs that rotate logs do, a new one is made with the
/// next lines. Its calls block; one thread at a time makes them.
final class AuditFile {
  private let path: String
  private var descriptor: Int32 = -1
  /// Whether the last line may be there in part only, as when the disk was full.
  private var isTorn = false

  init(path: String) { self.path = path }

  deinit { closeFile() }

  /// Adds whole lines, in one write as far as the system lets it, so that those of several processes do not mix.
  /// - Throws: `POSIXError`. What comes next is tried anew.
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

  /// Whether what is open is what the path leads to.
  private var isCurrent: Bool {
    var (ours, theirs) = (stat(), stat())
    return descriptor >= 0 && fstat(descriptor, &ours) == 0 && stat(path, &theirs) == 0
      && ours.st_ino == theirs.st_ino && ours.st_dev == theirs.st_dev
  }

  private func reopen() throws {
    closeFile()
    // Not a pipe that nobody reads: it would never open.
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
