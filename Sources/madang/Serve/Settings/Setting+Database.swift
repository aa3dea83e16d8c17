import Foundation
import MadangServer

extension Setting {
  static let database: [Setting] = [
    Setting(
      key: "data", help: "directory of database, files and API keys",
      read: { text, loaded throws(Invalid) in
        loaded.settings.dataDirectory = URL(filePath: text, directoryHint: .isDirectory)
      }, show: { $0.settings.dataDirectory.path }),
    Setting(
      key: "database.url", help: "PostgreSQL instead of the embedded database", isSecret: true,
      read: { text, loaded throws(Invalid) in loaded.settings.databaseURL = text.isEmpty ? nil : text },
      show: { $0.settings.databaseURL ?? "" }),
    integer(
      "database.readers",
      "connections that read; 0 for as many as there are processors, at least two and at most eight",
      \.settings.databaseReaders, 0...64),
    integer("database.writers", "PostgreSQL: connections that write", \.settings.databaseWriters, 1...64),
    milliseconds(
      "database.lock.timeout",
      "PostgreSQL: seconds a write waits for a lock of another one before it is run again; 0 for any time",
      \.settings.databaseLockTimeout, 0...600),
    integer(
      "database.log.limit", "SQLite: bytes of its write-ahead log (-wal) beyond which it is emptied",
      \.settings.databaseLogLimit, (1 << 20)...(1 << 40)),
    text("node", "this server's name among several on one database", \.settings.node),
    integer(
      "database.check",
      "SQLite: bytes of the database up to which all of it is checked at the start; a larger one only if its log may be another file's",
      \.settings.databaseCheckLimit),
  ]
}
