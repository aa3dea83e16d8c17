import Foundation
import MadangCore

/// Files of the system: written completely or not at all, for root and the group of the server's user.
struct SystemFile {
  let path: String
  /// The server's user; its group may read the file.
  let reader: String?

  /// Replaces the file and makes it durable. Throws ``Failure``.
  func write(_ bytes: Data) throws {
    let file = PrivateFile(path)
    do throws(PrivateFileProblem) {
      if let reader, let user = getpwnam(reader)?.pointee {
        // Only root can give files away; tests in a folder need not be root.
        try file.replace(with: bytes, mode: 0o640, owner: geteuid() == 0 ? (user: 0, group: user.pw_gid) : nil)
      } else {
        try file.replace(with: bytes)
      }
    } catch { throw Failure(error.description) }
  }
}
