import Logging
import Storage
import Testing

@Suite("URLs of databases", .timeLimit(.minutes(5)))
struct PostgresURLTests {
  private func refusal(_ url: String) async -> String {
    do {
      let database = try await Database(DatabaseConfiguration(.postgres(url: url)), logger: Logger(label: "test"))
      await database.close()
      return "not refused"
    } catch {
      return (error as? StorageError)?.message ?? "\(error)"
    }
  }

  @Test(
    "the error for a refused URL contains no part of a password",
    arguments: [
      "postgres://madang:s3cr%et@127.0.0.1:1/chat", "postgres://madang:s3c/ret@127.0.0.1:1/chat",
      "postgres://madang:s3c@ret@127.0.0.1:1/chat", "postgres://madang:a?s3c@ret@127.0.0.1:1/chat",
      "postgres://madang:12/s3c@127.0.0.1:1/ret", "postgresql://madang:s3c%zzret@127.0.0.1:1/chat",
      "postgres://madang:s3c@127.0.0.1:s3c/chat", "postgres://madang:s3c@127.0.0.1:99999/chat", "postgres://[s3c",
    ])
  func passwords(_ url: String) async {
    let words = await refusal(url)
    #expect(words.contains("the URL of the database"), "\(words)")
    #expect(words.contains("percent-encoded, such as %25 for '%'"), "\(words)")
    for piece in ["s3c", "ret", "12", "madang", "99999"] { #expect(!words.contains(piece), "\(words)") }
  }

  @Test(
    "a parameter of another program is named, with its cure",
    arguments: [
      ("postgres://me@127.0.0.1:1/chat?schema=public", "'schema'", "search_path"),
      ("postgres://me@127.0.0.1:1/chat?sslmode=disable&connection_limit=5", "'connection_limit'", "leave it out"),
      ("postgresql://127.0.0.1:1/chat?currentSchema=chat", "'currentSchema'", "search_path"),
    ])
  func foreignParameters(_ url: String, _ name: String, _ cure: String) async throws {
    let error = await #expect(throws: StorageError.self) {
      _ = try await Database(DatabaseConfiguration(.postgres(url: url)), logger: Logger(label: "test"))
    }
    #expect(error?.message.contains(name) == true && error?.cure?.contains(cure) == true)
  }

  @Test(
    "a valid URL is used, with encoded characters, several hosts, a socket or a query",
    arguments: [
      "postgres://madang:s%2F%40%25%3Fc@127.0.0.1:1/chat", "postgres://madang:a:b?c@127.0.0.1:1/chat",
      "postgres://madang@127.0.0.1:1,127.0.0.1:2/chat", "postgres://madang@%2Fnonexistent:1/chat",
      "postgresql://127.0.0.1:1/chat?user=me@server&password=x/y",
    ])
  func readable(_ url: String) async {
    let words = await refusal(url)
    #expect(!words.contains("the URL of the database") && words.contains("failed"), "\(words)")
  }
}
