import MadangCore

/// How the database is reached.
public struct DatabaseSettings: Sendable {
  /// Nil for the embedded database in ``ServerSettings/dataDirectory``.
  public var url: String? = setting(
    "database.url", nil, .textOrNone, "PostgreSQL instead of the embedded database", .secret)
  /// More of them only slow each other down.
  public var readers = setting(
    "database.readers", 0, .integer(0...64),
    "connections that read; 0 for as many as there are processors, at least two and at most eight")
  /// All but the first are opened when they are needed.
  public var writers = setting("database.writers", 4, .integer(1...64), "PostgreSQL: connections that write")
  public var logLimit = setting(
    "database.log.limit", 64 << 20, .integer((1 << 20)...(1 << 40)),
    "SQLite: bytes of its write-ahead log (-wal) beyond which it is emptied")
  /// SQLite: bytes of the database up to which all of it is checked at the start; a larger one only if its log may be another file's.
  var checkLimit = 64 << 20
  /// How long one statement may take; zero for any time.
  var statementTimeout: Duration = .seconds(30)
  /// SQLite: how often a server looks whether the database's file is still the one that it has open.
  public var fileInterval: Duration = .seconds(5)

  public init() {}
}
