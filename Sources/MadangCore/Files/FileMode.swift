import Foundation

/// To whom a file belongs, how large it is, and who may use it.
///
/// By `stat`: `FileManager.attributesOfItem` also looks up the names of user and group, which reads two files each time.
package struct FileMode: Sendable {
  /// The number of a user.
  package let owner: UInt32
  /// Bytes.
  package let size: Int
  /// The permissions alone, as `chmod` takes them.
  package let bits: Int
  /// Whether it is a Unix socket.
  package let isSocket: Bool
  /// Whether every user of the machine may read it.
  package var isOpenToAll: Bool { bits & 0o004 != 0 }

  /// Nil if it is not there, or may not be looked at. Links are followed.
  package init?(_ file: URL) {
    var status = stat()
    guard stat(file.path, &status) == 0 else { return nil }
    (owner, size, bits) = (status.st_uid, Int(status.st_size), Int(status.st_mode) & 0o7777)
    isSocket = status.st_mode & S_IFMT == S_IFSOCK
  }
}
