import MadangAPI
import NIOHTTP1
import Support
import Testing

/// The first check that fails decides the answer, for each operation of the documents (wire contract, Order of checks).
@Suite("The order of checks", .timeLimit(.minutes(5)))
struct OpenAPIOrderTests {
  /// Runs `body` with all callers and a workspace, for each edition.
  private static func run(
    _ engine: TestEngine, _ body: @escaping @Sendable (Courtyard, Courtyard.Scene) async throws -> Void
  ) async throws {
    for edition in EditionName.allCases {
      try await World.run(engine, settings: Courtyard.settings) { (world) async throws in
        let courtyard = try await Courtyard(world, APIDescription.of(edition))
        try await body(courtyard, try await courtyard.scene())
      }
    }
  }

  /// No object in any encoding.
  private static let unreadable = World.Body.raw("[1, 2", type: "application/json")

  /// A request of the operation that fails step 5: a body or a query that cannot be read; nil if it takes neither.
  private static func unreadable(_ operation: APIDescription.Operation) -> (body: World.Body?, query: String?)? {
    if operation.hasBody { return (unreadable, nil) }
    if operation.queries.contains("keyword") { return (nil, "?keyword=") }
    if operation.queries.contains("after") { return (nil, "?after=nil") }
    if operation.queries.contains("cursor_date") { return (nil, "?cursor_date=nil") }
    return nil
  }

  private static func operations(of courtyard: Courtyard) -> [APIDescription.Operation] {
    courtyard.edition.operations.filter { $0.id != "file" }
  }

  @Test("a wrong key is E01 before path, token and body are checked", arguments: TestEngine.available)
  func key(_ engine: TestEngine) async throws {
    try await Self.run(engine) { (courtyard, scene) async throws in
      for operation in Self.operations(of: courtyard) {
        let answer = try await courtyard.call(operation, as: .wrongKey, in: scene, body: Self.unreadable)
        #expect(answer.code == "E01", "\(operation.id)")
      }
      for path in ["/v1", "/v1/nowhere", "/v3/users/me", "/", "/v1/users/me/me"] {
        for method in [HTTPMethod.GET, .POST, .DELETE, .PATCH] {
          let answer = try await courtyard.world.call(method, path, key: "wrong", Self.unreadable)
          #expect(answer.code == "E01", "\(method) \(path)")
        }
      }
    }
  }

  @Test("an unknown path or method is E97 before token and body are checked", arguments: TestEngine.available)
  func path(_ engine: TestEngine) async throws {
    try await Self.run(engine) { (courtyard, scene) async throws in
      let key = courtyard.edition.edition.developmentKey
      let documented = courtyard.edition.operations
      for template in Set(documented.map(\.template)) {
        let methods = documented.filter { $0.template == template }.map(\.method)
        let path = template.split(separator: "/").map { "/" + ($0.hasPrefix("{") ? "1" : $0) }.joined()
        for method in [HTTPMethod.GET, .POST, .PUT, .DELETE, .PATCH] where !methods.contains(method) {
          // The path may also be another template's, with a parameter where this one has a fixed segment.
          let answer = try await courtyard.world.call(method, path, key: key, Self.unreadable)
          #expect(answer.code == "E97", "\(method) \(path)")
        }
      }
      for path in ["/v1", "/v1/", "/v1/users/", "/v1/v1/workspaces", "/v3/users/login", "/nowhere"] {
        let answer = try await courtyard.world.call(.POST, path, key: key, Self.unreadable)
        #expect(answer.code == "E97", "\(path)")
      }
    }
  }

  @Test("a missing, unknown or expired token is refused before the body is read", arguments: TestEngine.available)
  func token(_ engine: TestEngine) async throws {
    try await Self.run(engine) { (courtyard, scene) async throws in
      for operation in Self.operations(of: courtyard) where operation.access == "\(Access.token)" {
        guard let bad = Self.unreadable(operation) else { continue }
        for (role, code) in [(Role.nobody, "E02"), (.expired, "E05"), (.expiredRefreshToken, "E06")] {
          let answer = try await courtyard.call(operation, as: role, in: scene, body: bad.body, query: bad.query)
          #expect(answer.code == code, "\(operation.id) as \(role.rawValue)")
        }
      }
    }
  }

  @Test(
    "an unreadable body or query is E11 before membership and ownership are checked", arguments: TestEngine.available)
  func body(_ engine: TestEngine) async throws {
    try await Self.run(engine) { (courtyard, scene) async throws in
      for operation in Self.operations(of: courtyard) {
        guard let bad = Self.unreadable(operation) else { continue }
        for role in [Role.stranger, .member, .owner] {
          let answer = try await courtyard.call(operation, as: role, in: scene, body: bad.body, query: bad.query)
          #expect(answer.code == "E11", "\(operation.id) as \(role.rawValue)")
        }
      }
    }
  }

  @Test("a body is ignored where the call needs none", arguments: TestEngine.available)
  func noBody(_ engine: TestEngine) async throws {
    try await Self.run(engine) { (courtyard, scene) async throws in
      for operation in Self.operations(of: courtyard) where !operation.hasBody && operation.template.contains("{work") {
        let answer = try await courtyard.call(operation, as: .stranger, in: scene, body: Self.unreadable)
        #expect(answer.code == "E13", "\(operation.id)")
      }
    }
  }

  @Test("an unknown workspace is E13 in every operation, whatever the form of its id", arguments: TestEngine.available)
  func nowhere(_ engine: TestEngine) async throws {
    try await Self.run(engine) { (courtyard, scene) async throws in
      for operation in Self.operations(of: courtyard) where operation.template.contains("{workspace}") {
        for id in ["0", "-1", "999999", "me", "00000000-0000-4000-8000-000000000000", "not-a-uuid", "한글", "%2F"] {
          var nowhere = scene
          nowhere.parameters["workspace"] = id
          let answer = try await courtyard.call(operation, as: .owner, in: nowhere)
          #expect(answer.code == "E13", "\(operation.id) in workspace \(id)")
        }
      }
    }
  }
}
