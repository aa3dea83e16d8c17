import MadangAPI
import MadangCore
import MadangOperations
import MadangProviders
import MadangServer
import NIOHTTP1
import SocketIOClient
import Support
import Testing

@Suite("Authorisation", .timeLimit(.minutes(5)))
struct AuthorisationTests {
  @Test(
    "every operation answers every role as docs/reference/authorisation.md says", arguments: TestEngine.available,
    EditionName.allCases)
  func operations(_ engine: TestEngine, _ edition: EditionName) async throws {
    let description = APIDescription.of(edition)
    let rows = try AuthorisationTable("Operations").rows(of: edition)
    let operations = Dictionary(
      uniqueKeysWithValues: description.operations.filter { $0.id != "file" }.map { ($0.id, $0) })
    #expect(rows.map { $0.labels[0] }.sorted() == operations.keys.sorted(), "one row for each operation")
    try await World.run(engine, settings: Courtyard.settings) { (world) async throws in
      let courtyard = try await Courtyard(world, description)
      var scene = try await courtyard.scene()
      for row in rows {
        guard let operation = operations[row.labels[0]] else { continue }
        let changes = operation.method != .GET || ["leave", "channelHistory"].contains { operation.id.hasPrefix($0) }
        for role in Role.allCases {
          let answer = try await courtyard.call(operation, as: role, in: scene)
          let result = answer.code ?? "\(answer.status)"
          #expect(result == row.cells[role], "\(operation.id) as \(role.rawValue)")
          if changes && answer.status == 200 && operation.template.contains("{workspace}") {
            scene = try await courtyard.scene()
          }
        }
      }
    }
  }

  @Test(
    "every folder of files answers every role as docs/reference/authorisation.md says", arguments: TestEngine.available,
    EditionName.allCases)
  func files(_ engine: TestEngine, _ edition: EditionName) async throws {
    let rows = try AuthorisationTable("Files").rows(of: edition)
    try await World.run(engine, settings: Courtyard.settings) { (world) async throws in
      let courtyard = try await Courtyard(world, APIDescription.of(edition))
      let files = try await courtyard.scene().files
      #expect(rows.map { $0.labels[0] }.sorted() == files.keys.sorted(), "one row for each folder")
      for row in rows {
        for role in Role.allCases {
          let credentials = try #require(courtyard.credentials[role])
          let answer = try await world.call(
            .GET, "/v1" + (files[row.labels[0]] ?? ""), token: credentials.accessToken, key: credentials.key)
          #expect(answer.code ?? "\(answer.status)" == row.cells[role], "\(row.labels[0]) as \(role.rawValue)")
        }
      }
    }
  }

  @Test(
    "a room's sockets admit every role as docs/reference/authorisation.md says",
    arguments: TestEngine.available, [SocketAccess.token, .cookie, .recent, .open])
  func sockets(_ engine: TestEngine, _ access: SocketAccess) async throws {
    var settings = Courtyard.settings
    settings.isDevelopment = false
    // No mail server listens there, so mails wait.
    (settings.mail.server, settings.mail.from) = ("smtp://127.0.0.1:9", "chat@example.com")
    for edition in EditionName.allCases { settings.keys[edition.developmentKey] = edition }
    settings.sockets.access = access
    settings.trustedProxies = [try #require(IPNetwork("127.0.0.1"))]
    for edition in EditionName.allCases {
      let rows = try AuthorisationTable("Sockets").rows(of: edition).filter { $0.labels[0].hasPrefix(access.rawValue) }
      #expect(!rows.isEmpty)
      try await World.run(engine, settings: settings) { (world) async throws in
        let courtyard = try await Courtyard(world, APIDescription.of(edition))
        let scene = try await courtyard.scene()
        let door = SocketDoor(world: world, courtyard: courtyard, scene: scene)
        for role in Role.people { try await door.beSeen(role) }
        for row in rows { try await door.walk(row) }
      }
    }
  }
}

/// Where people of a courtyard try to join a room's sockets, each from an address of their own.
private struct SocketDoor: Sendable {
  let world: World
  let courtyard: Courtyard
  let scene: Courtyard.Scene

  private func address(_ role: Role, elsewhere: Bool = false) -> (String, String) {
    ("X-Forwarded-For", "10.0.\(elsewhere ? 1 : 0).\(Role.allCases.firstIndex(of: role) ?? 99)")
  }

  /// Makes a call from the person's address.
  func beSeen(_ role: Role) async throws {
    let credentials = try #require(courtyard.credentials[role])
    let answer = try await world.call(
      .GET, "workspaces", token: credentials.accessToken, key: credentials.key, headers: [address(role)])
    try #require(answer.status == 200)
  }

  /// All callers try at once, because a refusal may be held back for a while.
  func walk(_ row: AuthorisationTable.Row) async throws {
    let namespaces = [
      "channel": RoomNamespace(.channel, scene.channelID), "channel as dm": RoomNamespace(.dm, scene.channelID),
      "dm": RoomNamespace(.dm, scene.parameters["room"] ?? ""),
    ]
    let namespace = try #require(namespaces[row.labels[1]]).name
    let shown = row.labels[0].split(separator: " ").last.map(String.init) ?? ""
    try await withThrowingTaskGroup { group in
      for (role, expected) in row.cells where expected != "-" {
        group.addTask {
          let result = try await admission(role, namespace, showing: shown, expected: expected)
          #expect(result == expected, "\(row.labels) as \(role.rawValue)")
        }
      }
      try await group.waitForAll()
    }
  }

  private func admission(
    _ role: Role, _ namespace: String, showing shown: String, expected: String
  ) async throws -> String {
    var headers = [address(role, elsewhere: shown == "cookie")]
    if let credentials = courtyard.credentials[role], shown == "credentials" {
      headers.append((HeaderName.apiKey, credentials.key))
      if let token = credentials.accessToken { headers.append((HeaderName.authorization, token)) }
    }
    if let cookie = courtyard.credentials[role]?.cookie, shown == "cookie" { headers.append(("Cookie", cookie)) }
    // An address is noted after its call, so admission may have to wait for that.
    let deadline = ContinuousClock.now + .seconds(30)
    while true {
      var result = ""
      try await SocketsTests.withSocket(world, headers: headers) { client in
        result = try await SocketsTests.admission(client, namespace)
      }
      if result == expected || expected != "joined" || ContinuousClock.now > deadline { return result }
    }
  }
}
