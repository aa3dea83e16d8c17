import Foundation
import MadangCore

extension ServerSettings {
  /// Creates the data directory with mode 0700 if it does not exist. Throws ``SetupError`` if this user cannot use it.
  package func makeDataDirectory() throws {
    try? makePrivateDirectories(dataDirectory)
    guard access(dataDirectory.path, R_OK | W_OK | X_OK) == 0 else {
      let (path, user) = (dataDirectory.path, geteuid())
      throw SetupError(
        "\(path) cannot be created or written by user \(user); create it, as root, with: install -d -o \(user) -m 700 '\(path)'"
      )
    }
    if let openDirectoryProblem { throw openDirectoryProblem }
  }

  /// A warning if every user of this machine can replace files in the data directory.
  var openDirectoryProblem: SetupError? {
    guard let mode = FileMode(dataDirectory), mode.bits & 0o002 != 0 else { return nil }
    return SetupError(
      "every user of this machine may write to \(dataDirectory.path) (mode \(String(mode.bits & 0o7777, radix: 8))), and so replace "
        + "database, files and secrets\nclose it with: chmod o= '\(dataDirectory.path)', and check that all files in it are the server's own"
    )
  }

  /// The files' location, as shown to operators.
  package var filesPlace: String { filesHome.isEmpty ? dataDirectory.appending(path: "files").path : filesHome }

  /// The embedded database.
  package var databaseFile: URL { dataDirectory.appending(path: "madang.sqlite") }

  /// The embedded database's write-ahead log, which exists while the database is open.
  package var databaseLogFile: URL { dataDirectory.appending(path: "madang.sqlite-wal") }

  /// The directory of the server's secrets.
  package var secretsDirectory: URL { dataDirectory.appending(path: "secrets") }
}
