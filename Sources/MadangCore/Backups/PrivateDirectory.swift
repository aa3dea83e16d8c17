import Foundation

/// Makes a directory that only its owner may enter. Throws ``BackupProblem``, also if it is there.
func makePrivateDirectory(_ url: URL) throws {
  guard mkdir(url.path, 0o700) == 0 else { throw BackupProblem("made", url.path) }
}

/// The same where it may be there, with those that it is in. What is there stays as it is.
package func makePrivateDirectories(_ url: URL) throws {
  try FileManager.default.createDirectory(
    at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
}

/// Throws ``BackupProblem`` unless a directory is the caller's own and nobody else can write to it: its owner, and who can
/// write to it, could read and exchange all that is written there.
func requireOwnDirectory(_ url: URL) throws {
  var status = stat()
  guard stat(url.path, &status) == 0 else { throw BackupProblem("looked at", url.path) }
  guard status.st_uid == geteuid() else {
    throw BackupProblem(
      "\(url.path) belongs to another user (\(status.st_uid)), who could read and exchange what is written there; name a "
        + "directory that is not there, or give it to this user (\(geteuid())) with chown")
  }
  guard status.st_mode & 0o022 == 0 else {
    throw BackupProblem(
      "other users can write to \(url.path) (mode \(String(status.st_mode & 0o7777, radix: 8))) and exchange what is there; "
        + "close it with: chmod go-w '\(url.path)', or name a directory that is not there")
  }
}

/// Flushes a directory, so that the names in it last.
func flushDirectory(_ url: URL) throws { try flush(url, O_DIRECTORY) }

/// Flushes what was written before.
/// - Parameter flags: Say, beside others, how it is opened.
func flush(_ url: URL, _ flags: Int32) throws {
  let descriptor = open(url.path, O_RDONLY | O_CLOEXEC | flags)
  guard descriptor >= 0 else { throw BackupProblem("read", url.path) }
  defer { close(descriptor) }
  guard fsync(descriptor) == 0 else { throw BackupProblem("flushed to disk", url.path) }
}
