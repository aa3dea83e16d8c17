import CPostgres

/// Checks a database URL before libpq connects with it. If a password contains reserved characters that are not encoded, libpq takes parts
/// of it for the host, the port or the database, and its error messages quote them.
enum PostgresURL {
  private static let cure =
    "reserved characters of the user and the password must be percent-encoded, such as %25 for '%', %2F for '/' and %40 for '@'"

  /// Throws `.other` with a message that quotes no part of the URL.
  static func check(_ url: String) throws(StorageError) {
    if let name = foreignParameter(url) {
      throw StorageError(
        .other, "the URL of the database has the parameter '\(name)', which PostgreSQL does not know",
        cure: ["schema", "currentSchema", "search_path"].contains(name)
          ? "leave it out, and name the schema for the role: ALTER ROLE role SET search_path = schema"
          : "leave it out: it belongs to another program")
    }
    guard let options = PQconninfoParse(url, nil) else {
      throw StorageError(.other, "the URL of the database cannot be read: \(cure)")
    }
    defer { PQconninfoFree(options) }
    guard !holdsPasswordElsewhere(url) else {
      throw StorageError(.other, "the URL of the database has an '@' besides the one before the host: \(cure)")
    }
    var option = options
    while let keyword = option.pointee.keyword {
      if String(cString: keyword) == "port", let value = option.pointee.val, !arePorts(String(cString: value)) {
        throw StorageError(
          .other, "the port in the URL of the database is not a number from 1 to 65535; if it has one, \(cure)")
      }
      option += 1
    }
  }

  /// Parameters that other programs accept in such a URL: Prisma, JDBC, and libraries with pools.
  private static let foreignParameters = [
    "schema", "currentSchema", "search_path", "pgbouncer", "connection_limit", "pool_timeout", "pool_size",
    "max_connections",
    "socket_timeout", "statement_cache_size", "sslaccept", "ssl",
  ]

  /// The first of these parameters behind the URL's last `?`. No other part of the URL is shown, because it may belong to a password.
  private static func foreignParameter(_ url: String) -> String? {
    guard let mark = url.lastIndex(of: "?") else { return nil }
    let names = url[mark...].dropFirst().split(separator: "&").map { $0.prefix { $0 != "=" } }
    return foreignParameters.first { names.contains(Substring($0)) }
  }

  /// Whether there is an `@` after the one before the host. A URL has no `@` there, except in its query.
  private static func holdsPasswordElsewhere(_ url: String) -> Bool {
    guard let scheme = ["postgres://", "postgresql://"].first(where: url.hasPrefix) else { return false }
    // Compares bytes, as libpq does: the password ends at the first '@', unless a '/' comes before it.
    let behind = url.utf8.dropFirst(scheme.utf8.count).drop { $0 != UInt8(ascii: "@") && $0 != UInt8(ascii: "/") }
    return behind.dropFirst().prefix { $0 != UInt8(ascii: "?") }.contains(UInt8(ascii: "@"))
  }

  /// One port for each host; empty means the default.
  private static func arePorts(_ text: String) -> Bool {
    text.split(separator: ",", omittingEmptySubsequences: false).allSatisfy { port in
      port.isEmpty || Int(port).map { (1...65535).contains($0) } ?? false
    }
  }
}
