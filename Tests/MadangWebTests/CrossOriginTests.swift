import MadangAPI
import MadangCore
import MadangOperations
import NIOHTTP1
import Support
import Testing

@Suite("Pages of other websites", .timeLimit(.minutes(5)))
struct CrossOriginTests {
  private static let listed = "https://app.example.com"

  /// The settings and the page's origin of each column of the table.
  private static let columns: [(name: String, settings: ServerSettings, origin: String)] = [
    ("not set", settings(false), listed), ("listed", settings(false, [listed]), "https://APP.example.com"),
    ("not listed", settings(false, [listed]), "https://app.example.com:8443"),
    ("loopback, development mode", settings(true), "http://localhost:3000"),
    ("other, development mode", settings(true), "https://localhost.example.com"),
  ]

  private static func settings(_ isDevelopment: Bool, _ origins: [String] = []) -> ServerSettings {
    var settings = World.settings
    (settings.isDevelopment, settings.origins) = (isDevelopment, origins)
    settings.keys = EditionName.developmentKeys
    settings.web.chat = true
    settings.web.admin.isOn = true
    settings.callLimits.requests = 0
    return settings
  }

  private static func fields(_ answer: World.Answer) -> [String] {
    answer.headers.filter { $0.name.lowercased().hasPrefix("access-control-") }.map(\.name)
  }

  private static func preflight(_ world: World, _ method: HTTPMethod, _ path: String, from origin: String) async throws
    -> World.Answer
  {
    try await world.call(
      .OPTIONS, path, key: nil,
      headers: [
        ("Origin", origin), ("Access-Control-Request-Method", method.rawValue),
        ("Access-Control-Request-Headers", "sesackey,authorization,content-type"),
      ])
  }

  @Test(
    "pages read answers, and are allowed to call, as docs/reference/authorisation.md says", arguments: columns.indices)
  func table(_ index: Int) async throws {
    let column = Self.columns[index]
    try await Browser.run(.sqlite, settings: column.settings) { (world) async throws in
      for row in try AuthorisationRow.all(under: "Pages of other websites", callsIn: 0) {
        let answer = try await world.call(row.method, row.path, headers: [("Origin", column.origin)], .json([:]))
        let asked = try await Self.preflight(world, row.method, row.path, from: column.origin)
        var cells: [String] = []
        if answer.headers["Access-Control-Allow-Origin"] == [column.origin] { cells.append("read") }
        if asked.status == 204, asked.headers["Access-Control-Allow-Origin"] == [column.origin] {
          cells.append("asked")
        }
        let cell = cells.isEmpty ? "-" : cells.joined(separator: ", ")
        #expect(cell == row.answers[column.name], "\(row.method) \(row.path), \(column.name)")
        if cells.isEmpty { #expect(Self.fields(answer) + Self.fields(asked) == [], "\(row.path)") }
        for answer in [answer, asked] { #expect(answer.headers["Access-Control-Allow-Credentials"].isEmpty) }
      }
    }
  }

  @Test("a listed page may send key and token, and reads why a call was refused")
  func fields() async throws {
    try await Browser.run(.sqlite, settings: Self.settings(false, [Self.listed])) { (world) async throws in
      let asked = try await Self.preflight(world, .PUT, "/v1/users/me", from: Self.listed)
      #expect(asked.headers["Access-Control-Allow-Methods"] == ["GET, HEAD, POST, PUT, DELETE"])
      let accepted = asked.headers["Access-Control-Allow-Headers"].first ?? ""
      for name in ["SesacKey", "Authorization", "RefreshToken", "Content-Type"] { #expect(accepted.contains(name)) }
      let refused = try await world.call(.GET, "users/me", key: nil, headers: [("Origin", Self.listed)])
      #expect(refused.code == "E01" && refused.headers["Vary"] == ["Origin"])
      let exposed = refused.headers["Access-Control-Expose-Headers"].first ?? ""
      for name in ["Retry-After", "X-Madang-Reason"] { #expect(exposed.contains(name)) }
      // Caches must not give another page's answer to a page.
      #expect(try await world.call(.GET, "users/me").headers["Vary"] == ["Origin"])
      // Without the question of a browser, OPTIONS is what it was.
      let plain = try await world.call(.OPTIONS, "users/me", key: nil, headers: [("Origin", Self.listed)])
      #expect(plain.code == "E01")
    }
  }

  @Test("without the setting, an answer has the same fields with an origin and without one")
  func off() async throws {
    try await Browser.run(.sqlite, settings: Self.settings(false)) { (world) async throws in
      func names(_ headers: [(String, String)]) async throws -> [String] {
        try await world.call(.GET, "users/me", headers: headers).headers.map { $0.name.lowercased() }.sorted()
      }
      #expect(try await names([("Origin", Self.listed)]) == (try await names([])))
      #expect(try await Self.preflight(world, .GET, "/v1/users/me", from: Self.listed).code == "E01")
    }
  }

  @Test("in development mode only pages of this machine may call, by any of its names")
  func loopback() async throws {
    try await Browser.run(.sqlite, settings: Self.settings(true)) { (world) async throws in
      for origin in ["http://127.0.0.1:5173", "https://localhost", "http://[::1]:8080", "http://127.9.9.9"] {
        #expect(try await Self.preflight(world, .GET, "/v1/users/me", from: origin).status == 204, "\(origin)")
      }
      for origin in [
        "null", "http://127.0.0.1.example.com", "ftp://localhost", "http://localhost/x", "localhost:3000", "",
      ] {
        #expect(try await Self.preflight(world, .GET, "/v1/users/me", from: origin).code == "E01", "\(origin)")
      }
      #expect(try await world.call(.GET, "users/me").headers["Vary"].isEmpty)
    }
  }
}
