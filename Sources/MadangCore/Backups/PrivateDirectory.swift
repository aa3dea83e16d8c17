import Foundation

/// Makes a directory that only its owner may enter. Throws ``BackupProblem``, also if it exists.
func makePrivateDirectory(_ url: URL) throws {
  guard mkdir(url.path, 0o700) == 0 else { throw BackupProblem("made", url.path) }
}

/// Makes a directory and its missing parents, which only their owner may enter. Existing directories keep their modes.
package func makePrivateDirectories(_ url: URL) throws {
  try FileManager.default.createDirectory(
    at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
}

/// Throws ``BackupProblem`` unless the caller owns a directory and no other user can write to it. Another owner or writer could read and
/// replace everything that is written there.
func requireOwnDirectory(_ url: URL) throws {
  var status = stat()
  guard stat(url.path, &status) == 0 else { throw BackupProblem("looked at", url.path) }
  guard status.st_uid == geteuid() else {
    throw BackupProblem(
      "\(url.path) belongs to another user (\(status.st_uid)), who could read and replace its files; name a "
        + "new directory, or give it to this user (\(geteuid())) with chown")
  }
  guard status.st_mode & 0o022 == 0 else {
    throw BackupProblem(
      "other users can write to \(url.path) (mode \(String(status.st_mode & 0o7777, radix: 8))) and replace its files; "
        + "close it with: chmod go-w '\(url.path)', or name a new directory")
  }
}

/// Flushes a directory, so that the names in it are durable.
func flushDirectory(_ url: URL) throws { try flush(url, O_DIRECTORY) }

/// Flushes earlier writes.
/// - Parameter flags: Additional flags for `open`.
func flush(_ url: URL, _ flags: Int32) throws {
  let descriptor = open(url.path, O_RDONLY | O_CLOEXEC | flags)
  guard descriptor >= 0 else { throw BackupProblem("read", url.path) }
  defer { close(descriptor) }
  guard fsync(descriptor) == 0 else { throw BackupProblem("flushed to disk", url.path) }
}
