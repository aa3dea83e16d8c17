import Foundation

/// A small file that is written completely or not at all. Only its owner can read it, unless a write gives it another mode. After a write, it
/// is durable. Several processes may write the same file at once. Calls block, and throw ``PrivateFileProblem``.
package struct PrivateFile: Sendable {
  /// The system calls that tests replace.
  package struct Calls: Sendable {
    /// Makes what a descriptor refers to durable, like `fsync`.
    package var flush: @Sendable (_ descriptor: Int32) -> Int32 = { fsync($0) }
    /// Gives a file a second name, like `link`.
    package var link: @Sendable (_ file: String, _ name: String) -> Int32 = { Foundation.link($0, $1) }

    package init() {}
  }

  private let path: String
  private let calls: Calls

  package init(_ path: String, calls: Calls = Calls()) { (self.path, self.calls) = (path, calls) }

  /// Replaces the file, or creates it. A symbolic link is replaced, not followed. If this throws, the file is unchanged, unless only flushing
  /// its directory failed.
  ///
  /// - Parameters:
  ///   - mode: The permissions of the file.
  ///   - owner: Its user and group; nil for those of this process. Only root can give files away.
  package func replace(
    with bytes: Data, mode: mode_t = 0o600, owner: (user: uid_t, group: gid_t)? = nil
  ) throws(PrivateFileProblem) {
    let temporary = temporaryPath(UUID().uuidString)
    // After the rename there is no such name.
    defer { unlink(temporary) }
    try make(temporary, bytes, mode, owner)
    guard rename(temporary, path) == 0 else { throw problem() }
    try flushDirectory()
  }

  /// Creates the file with mode 0600, unless it exists. On file systems without hard links, another process may see the unfinished file.
  /// - Parameter suffix: Makes the name of the temporary file unlike any other.
  /// - Returns: False if the file exists.
  package func create(_ bytes: Data, suffix: String = UUID().uuidString) throws(PrivateFileProblem) -> Bool {
    let temporary = temporaryPath(suffix)
    defer { unlink(temporary) }
    try make(temporary, bytes)
    guard calls.link(temporary, path) != 0 else {
      try flushDirectory()
      return true
    }
    switch errno {
    case EEXIST: return false
    // File systems without hard links: exFAT, many network shares.
    case EPERM, ENOTSUP, EOPNOTSUPP, ENOSYS, EINVAL, EMLINK: break
    default: throw problem()
    }
    do {
      try make(path, bytes)
    } catch {
      guard error.code == EEXIST else { throw error }
      return false
    }
    try flushDirectory()
    return true
  }

  /// A name beside the file. With a random suffix no other write has it, also not one that was killed.
  private func temporaryPath(_ suffix: String) -> String {
    let url = URL(filePath: path)
    return url.deletingLastPathComponent().appending(path: ".\(url.lastPathComponent).\(suffix)").path
  }

  /// Makes a new file. Removes it again if it cannot be completed.
  private func make(
    _ file: String, _ bytes: Data, _ mode: mode_t = 0o600, _ owner: (user: uid_t, group: gid_t)? = nil
  ) throws(PrivateFileProblem) {
    let descriptor = open(file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw problem() }
    defer { close(descriptor) }
    guard
      bytes.withUnsafeBytes({ writeAll($0, to: descriptor) }),
      // The owner first: a change of owner may take permissions away.
      owner.map({ fchown(descriptor, $0.user, $0.group) == 0 }) ?? true,
      // Some file systems refuse any change of permissions.
      mode == 0o600 || fchmod(descriptor, mode) == 0,
      calls.flush(descriptor) == 0
    else {
      let problem = problem()
      unlink(file)
      throw problem
    }
  }

  private func flushDirectory() throws(PrivateFileProblem) {
    let directory = URL(filePath: path).deletingLastPathComponent().path
    let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw problem() }
    defer { close(descriptor) }
    guard calls.flush(descriptor) == 0 else { throw problem() }
  }

  /// The failure of the last system call.
  private func problem() -> PrivateFileProblem { PrivateFileProblem(path: path, code: errno) }
}

/// Why a file could not be written.
package struct PrivateFileProblem: Error, Equatable, CustomStringConvertible {
  let path: String
  /// The system's error number.
  let code: Int32

  package var description: String { "\(path) cannot be written: \(String(cString: strerror(code)))" }
}
