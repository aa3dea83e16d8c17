import CPostgres
import Foundation

/// The PostgreSQL server that all tests share; each test has a schema of its own.
enum PostgresServer {
  struct Failure: Error {
    let reason: String
  }

  static var url: String? { ProcessInfo.processInfo.environment["MADANG_TEST_POSTGRES"] }

  static func withSchema(_ body: (_ url: String) async throws -> Void) async throws {
    guard let url else { throw Failure(reason: "MADANG_TEST_POSTGRES is not set") }
    let schema = "test_\(UUID().uuidString.replacingOccurrences(of: "-", with: "").lowercased())"
    try run("CREATE SCHEMA \(schema)")
    let result: Result<Void, any Error>
    do {
      result = .success(try await body("\(url)\(url.contains("?") ? "&" : "?")options=-csearch_path%3D\(schema)"))
    } catch {
      result = .failure(error)
    }
    try run("DROP SCHEMA \(schema) CASCADE")
    try result.get()
  }

  /// Runs a statement over a connection of its own, and returns the first column of its rows. It blocks.
  @discardableResult
  static func run(_ sql: String) throws -> [String] {
    let connection = PQconnectdb(url ?? "")
    defer { PQfinish(connection) }
    let result = PQexec(connection, sql)
    defer { PQclear(result) }
    guard [PGRES_COMMAND_OK, PGRES_TUPLES_OK].contains(PQresultStatus(result)) else {
      throw Failure(reason: String(cString: PQerrorMessage(connection)))
    }
    return (0..<PQntuples(result)).map { String(cString: PQgetvalue(result, $0, 0)) }
  }
}
