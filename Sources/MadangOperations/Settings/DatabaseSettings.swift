import MadangCore
import Storage

/// How the database is reached.
public struct DatabaseSettings: Sendable {
  /// Nil for the embedded database in ``ServerSettings/dataDirectory``.
  public var url: String? = setting(
    "database.url", nil, .textOrNone, "PostgreSQL instead of the embedded database", .secret)
  /// More connections only slow each other down.
  public var readers = setting(
    "database.readers", 0, .integer(0...64),
    "connections for reading; 0 for one per processor, from two to eight")
  /// All except the first are opened on demand.
  public var writers = setting("database.writers", 4, .integer(1...64), "PostgreSQL: connections for writing")
  public var logLimit = setting(
    "database.log.limit", 64 << 20, .integer((1 << 20)...(1 << 40)),
    "SQLite: size in bytes at which the write-ahead log (-wal) is emptied")
  /// SQLite: the largest database in bytes that is completely checked at the start; a larger one is checked only if its log
  /// may belong to another file.
  var checkLimit = 64 << 20
  public var waitLimit: Duration = setting(
    "database.wait", DatabaseConfiguration.usualWaitLimit, .duration(.seconds(1) ... .seconds(25)),
    "how long a call may wait until the database begins; then it fails with nothing written. Until then it may still be done, though its app "
      + "has given up")
  /// PostgreSQL: how long opening a connection may take. Nil for the limit of `DatabaseConfiguration`.
  package var connectTimeout: Duration?
  /// How long one statement may take; zero for no limit, nil for that of `DatabaseConfiguration`.
  var statementTimeout: Duration?
  /// SQLite: how often a server checks whether the database's file is still the one that it has open.
  public var fileInterval: Duration = .seconds(5)

  public init() {}
}
