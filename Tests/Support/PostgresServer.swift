import Foundation
import Logging
import Storage

/// The PostgreSQL server that all tests share; each test has a schema of its own.
package enum PostgresServer {
  package struct Missing: Error {}

  package static var url: String? { ProcessInfo.processInfo.environment["MADANG_TEST_POSTGRES"] }

  static func withSchema<Result>(_ body: (DatabaseConfiguration.Engine) async throws -> Result) async throws -> Result {
    let schema = "test_\(UUID().uuidString.replacingOccurrences(of: "-", with: "").lowercased())"
    try await administer("CREATE SCHEMA \(raw: schema)")
    guard let url else { throw Missing() }
    let separator = url.contains("?") ? "&" : "?"
    let engine = DatabaseConfiguration.Engine.postgres(url: "\(url)\(separator)options=-csearch_path%3D\(schema)")
    do {
      let result = try await body(engine)
      try await administer("DROP SCHEMA \(raw: schema) CASCADE")
      return result
    } catch {
      try await administer("DROP SCHEMA \(raw: schema) CASCADE")
      throw error
    }
  }

  /// Runs one statement outside any test's schema.
  package static func administer(_ sql: SQL) async throws {
    guard let url else { throw Missing() }
    var configuration = DatabaseConfiguration.forTests(.postgres(url: url))
    configuration.readers = 1
    let database = try await Database(configuration, logger: Logger(label: "test"))
    try await closing(database) { try await $0.write { _ = try $0.execute(sql) } }
  }
}
