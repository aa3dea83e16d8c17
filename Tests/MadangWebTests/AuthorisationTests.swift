import Foundation
import MadangAPI
import MadangCore
import NIOHTTP1
import OpenAPI
import Support
import Testing

@Suite("Authorisation of the chat for browsers", .timeLimit(.minutes(5)))
struct AuthorisationTests {
  private static func rows() throws -> [AuthorisationRow] {
    try AuthorisationRow.all(under: "The chat for browsers", callsIn: 1)
  }

  @Test(
    "every call of pages answers every browser as docs/reference/authorisation.md says", arguments: TestEngine.available
  )
  func table(_ engine: TestEngine) async throws {
    let rows = try Self.rows()
    try await Browser.run(engine) { (world) async throws in
      let mina = try await world.signUp("Mina")
      let w = try await mina.workspace()
      let channel = try await mina.channel("ios", in: w)
      let ids = ["WORKSPACE": w, "CHANNEL": channel].mapValues { String($0.split(separator: "/").last ?? "") }
      let body: JSON = [
        "email": .text(mina.email), "password": .text(World.password), "nickname": "x", "content": "x",
        "workspace": .text(ids["WORKSPACE"] ?? ""), "rooms": [:],
      ]
      for row in rows {
        let path = ids.reduce(row.path.dropFirst("/web/".count)) { Substring($0.replacing($1.key, with: $1.value)) }
        for (column, expected) in row.answers {
          let browser = Browser(world)
          if column == "no session" { try await browser.open() } else { _ = try await browser.signIn(mina.email) }
          if column == "no proof" { browser.proof = "" }
          if column == "ended session" {
            try #require(try await browser.call(.DELETE, "session").status == 200, "\(row.name)")
            browser.restore()
          }
          let headers = column == "other origin" ? [("Origin", "https://other.example")] : []
          let answer = try await browser.call(row.method, String(path), headers: headers, .json(body))
          #expect(answer.code ?? "\(answer.status)" == expected, "\(row.name), \(column)")
        }
      }
    }
  }

  @Test("every call of openapi/web.json has a row, and is a call of the server")
  func documented() async throws {
    let document = try JSON(OpenAPIDocuments.web)
    var described: Set<String> = []
    for path in document["paths"]?.keys ?? [] {
      for method in document["paths"]?[path]?.keys ?? [] {
        let operation = document["paths"]?[path]?[method]
        described.insert("\(operation?["operationId"]?.string ?? "") \(method.uppercased()) /web\(path)")
      }
    }
    let rows = try Self.rows().filter { !$0.path.hasPrefix("/web/v1/") }.map { "\($0.name) \($0.method) \($0.path)" }
    #expect(described == Set(rows))
    try await Browser.run(.sqlite) { (world) async throws in
      let served = try await world.call(.GET, "/web/openapi.json", key: nil)
      #expect(served.body == OpenAPIDocuments.web && served.headers["Content-Type"] == ["application/json"])
    }
  }

  @Test("descriptions of sessions have the form that openapi/web.json says")
  func forms() async throws {
    let schemas = try #require(try JSON(OpenAPIDocuments.web)["components"]?["schemas"])
    @Sendable func names(_ object: JSON?) -> Set<String> { object?["properties"]?.keys ?? [] }
    try await Browser.run(.sqlite) { (world) async throws in
      let mina = try await world.signUp("Mina")
      let browser = Browser(world)
      let session = try await browser.signIn(mina.email).json
      let schema = schemas["Session"]
      #expect(session.keys == names(schema))
      #expect(session["account"]?.keys == names(schemas["Me"]))
      #expect(session["server"]?.keys == names(schema?["properties"]?["server"]))
      #expect(session["server"]?["coins"] == ["workspace": 10])
      #expect(session["server"]?["limits"] == ["files": 5, "fileSize": 10_485_760, "content": 10_000])
      let now = world.clock.now
      #expect(session["now"]?.string == WireDate.string(now, offset: 0))
    }
  }
}
