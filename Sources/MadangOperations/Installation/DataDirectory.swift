import Foundation
import MadangCore

extension ServerSettings {
  /// Makes the data directory, with mode 0700, unless it is there. Throws ``SetupError`` if this user cannot use it.
  package func makeDataDirectory() throws {
    try? makePrivateDirectories(dataDirectory)
    guard access(dataDirectory.path, R_OK | W_OK | X_OK) == 0 else {
      let (path, user) = (dataDirectory.path, geteuid())
      throw SetupError(
        "\(path) cannot be made or written by user \(user); make it, as root, with: install -d -o \(user) -m 700 '\(path)'"
      )
    }
    if let openDirectoryProblem { throw openDirectoryProblem }
  }

  /// Set if every user of this machine may put files into the data directory instead of the server's.
  var openDirectoryProblem: SetupError? {
    guard let mode = FileMode(dataDirectory), mode.bits & 0o002 != 0 else { return nil }
    return SetupError(
      "every user of this machine may write to \(dataDirectory.path) (mode \(String(mode.bits & 0o7777, radix: 8))), and so exchange "
        + "database, files and secrets\nclose it with: chmod o= '\(dataDirectory.path)', and look whether all in it is the server's own"
    )
  }

  /// Where files are kept, for people.
  package var filesPlace: String { filesHome.isEmpty ? dataDirectory.appending(path: "files").path : filesHome }

  /// The embedded database.
  package var databaseFile: URL { dataDirectory.appending(path: "madang.sqlite") }

  /// The embedded database's write-ahead log; it is there while the database is open.
  package var databaseLogFile: URL { dataDirectory.appending(path: "madang.sqlite-wal") }

  /// Where the server keeps its secrets.
  package var secretsDirectory: URL { dataDirectory.appending(path: "secrets") }
}
