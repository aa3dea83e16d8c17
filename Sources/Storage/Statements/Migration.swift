import Crypto
import Foundation

/// A change of the schema that runs once. Its text never changes after release.
package struct Migration: Sendable {
  package let version: Int
  package let name: String
  /// One or more statements for both engines. `{{identity}}` is an integer primary key that the engine numbers.
  package let sql: String
  /// The hexadecimal SHA-256 of the text.
  package let checksum: String

  package init(version: Int, name: String, sql: String) {
    self.version = version
    self.name = name
    self.sql = sql
    checksum = SHA256.hash(data: Data(sql.utf8)).map { byte in
      (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }.joined()
  }

  /// Whether older programs can keep using the database after this migration. The first line of the text says so: `-- additive`.
  package var isAdditive: Bool {
    sql.prefix { !$0.isNewline }.trimmingCharacters(in: .whitespaces) == "-- additive"
  }
}
