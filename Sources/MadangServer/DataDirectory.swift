import Foundation
import MadangCore

extension ServerSettings {
  /// Makes the data directory, with mode 0700, unless it is there. Throws ``SetupError`` if this user cannot use it.
  func makeDataDirectory() throws {
    try? makePrivateDirectories(dataDirectory)
    guard access(dataDirectory.path, R_OK | W_OK | X_OK) == 0 else {
      let (path, user) = (dataDirectory.path, geteuid())
      throw SetupError(
        "\(path) cannot be made or written by user \(user); make it, as root, with: install -d -o \(user) -m 700 '\(path)'"
      )
    }
  }

  /// Where files are kept, for people.
  var filesPlace: String { filesHome.isEmpty ? dataDirectory.appending(path: "files").path : filesHome }

  /// The embedded database.
  var databaseFile: URL { dataDirectory.appending(path: "madang.sqlite") }

  /// The embedded database's write-ahead log; it is there while the database is open.
  var databaseLogFile: URL { dataDirectory.appending(path: "madang.sqlite-wal") }

  /// Where the server keeps its secrets.
  var secretsDirectory: URL { dataDirectory.appending(path: "secrets") }
}
