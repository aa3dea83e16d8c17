import Foundation
import MadangDevelopment
import NIOHTTP1
import Support
import Testing

@Suite("The OpenAPI document of development calls", .timeLimit(.minutes(5)))
struct DevelopmentDescriptionTests {
  @Test("the document has exactly the calls of docs/reference/dev.md")
  func documented() throws {
    let page = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../docs/reference/dev.md")
    let text = try String(contentsOf: page, encoding: .utf8)
    var told: Set<String> = []
    for match in text.matches(of: #/`(GET|POST|DELETE) /_dev([^`? ]*)/#) {
      var path = String(match.2)
      // Each world has the calls of a server, too.
      if path.hasPrefix("/worlds/ID/") { path = String(path.dropFirst("/worlds/ID".count)) }
      told.insert("\(match.1) \(path)")
    }
    for match in text.matches(of: #/`(POST) /_dev([^`? ]*)/[a-z]+`, `\.\.\./([a-z]+)`/#) {
      told.insert("\(match.1) \(match.2)/\(match.3)")
    }
    let described = DevelopmentDescription.shared.operations.map { operation in
      let path = operation.template.replacing(#/\{([a-z]+)\}/#) { $0.1.uppercased() }
      return "\(operation.method) \(path)"
    }
    #expect(told.symmetricDifference(described).sorted() == [])
  }

  @Test("documented bodies have the fields that are read, and numbers have their limits")
  func fields() throws {
    let document = try DevelopmentDescription.document()
    let schemas = try #require(document["components"]?["schemas"])
    func names(_ schema: JSON?) -> [String]? { schema?["properties"]?.keys?.sorted() }
    #expect(names(schemas["Filter"]) == JournalFilter.names.sorted())
    #expect(names(schemas["Expectation"]) == Expectation.names.sorted())
    let item = schemas["Expectation"]?["properties"]?["expected"]?["items"]
    #expect(names(item) == Expectation.Item.names.sorted())
    #expect(names(schemas["FaultMatch"]) == FaultMatch.names.sorted())
    #expect(names(schemas["FaultEffect"]) == FaultEffect.names.sorted())
    let settings = schemas["JournalSettings"]?["properties"]
    for (name, range) in [("entries", Journal.Limits.entriesRange), ("bytes", Journal.Limits.bytesRange)] {
      #expect(settings?[name]?["minimum"]?.int == range.lowerBound, "\(name)")
      #expect(settings?[name]?["maximum"]?.int == range.upperBound, "\(name)")
    }
  }

  @Test("the document names the server that sent it, with its token if it needs one")
  func servers() throws {
    let document = try DevelopmentDescription.document()
    let servers = try #require(document["servers"]?.list)
    #expect(servers.first?["url"] == .text("/_dev"))
    #expect(servers.allSatisfy { $0["url"]?.string?.hasPrefix("/_dev") ?? false })
    #expect(document["components"]?["securitySchemes"]?["token"]?["scheme"] == .text("bearer"))
    #expect(document["security"]?.list?.count == 2)
  }

  @Test("a parameter that a call does not have is refused by every call, and nothing is done")
  func unknownParameters() async throws {
    try await WorldCallsTests.run { dev in
      _ = try await dev.call(.POST, "/_dev/worlds", #"{"seed":"courtyard","number":1}"#)
      _ = try await dev.call(.POST, "/_dev/worlds/w1/snapshots", #"{"name":"kept"}"#)
      let script = "{name: s, do: [{wait: 1s}]}"
      #expect(try await dev.call(.POST, "/_dev/worlds/w1/scripts", script).status == 200)
      let fault = #"{"effect":{"kind":"drop"}}"#
      #expect(try await dev.call(.POST, "/_dev/worlds/w1/faults", fault).status == 200)
      let world = Caller(url: try #require(try await dev.call(.GET, "/_dev/worlds/w1").object["url"] as? String))
      let before = try await world.call(.GET, "/_dev/world").body
      for operation in DevelopmentDescription.shared.operations {
        let isOfServer = operation.template.hasPrefix("/worlds")
        var path = operation.template.replacing("{who}", with: "mina").replacing("{id}", with: isOfServer ? "w1" : "1")
        path.replace("{name}", with: path.hasPrefix("/scripts") ? "s" : "kept")
        let answer = try await (isOfServer ? dev : world).call(
          HTTPMethod(rawValue: operation.method), "/_dev\(path)?wiat=5s")
        #expect(
          answer.status == 400 && answer.body.contains("wiat: is not a parameter of this call"),
          "\(operation.method) \(path): \(answer.status) \(answer.body)")
      }
      #expect(try await world.call(.GET, "/_dev/world").body == before)
      #expect(try await world.call(.GET, "/_dev/scripts").list.count == 1)
      #expect(try await world.call(.GET, "/_dev/faults").body.contains(#""id":1"#))
      #expect(try await dev.call(.GET, "/_dev/worlds").list.count == 1)
    }
  }

  @Test("a server in development mode and its worlds serve the document")
  func served() async throws {
    try await WorldCallsTests.run { dev in
      let answer = try await dev.call(.GET, "/_dev/openapi.json")
      #expect(answer.status == 200 && answer.body.hasPrefix("{"))
      #expect(
        answer.headers["X-Content-Type-Options"] == ["nosniff"] && answer.headers["Cache-Control"] == ["no-store"])
      let made = try await dev.call(.POST, "/_dev/worlds")
      let world = Caller(url: try #require(try made.object["url"] as? String))
      #expect(try await world.call(.GET, "/_dev/openapi.json").body == answer.body)
    }
  }
}
