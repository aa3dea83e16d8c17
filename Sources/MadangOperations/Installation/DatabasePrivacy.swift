import Foundation
import MadangCore

extension ServerSettings {
  /// A warning if every user of this machine can read the embedded database; otherwise nil. Older versions created such
  /// files when `madang admin` restored or imported.
  package var publicDatabaseWarning: String? {
    guard database.url == nil else { return nil }
    // A file in a directory that they cannot enter is safe.
    guard let file = FileMode(databaseFile), file.bits & 0o007 != 0,
      let directory = FileMode(dataDirectory), directory.bits & 0o001 != 0
    else { return nil }
    return
      "every user of this machine can read \(databaseFile.path), with the key of all sessions in it. Close it with: "
      + "chmod -R go= '\(dataDirectory.path)'. If others could read it, also run 'madang admin sessions replace-key'"
  }
}
