import Foundation
import MadangAPI
import MadangDevelopment
import MadangOperations
import MadangServer
import NIOHTTP1
import ServiceLifecycle
import SocketIOSupport
import Support
import Testing

@Suite("Calls about worlds", .timeLimit(.minutes(5)))
struct WorldCallsTests {
  /// A development server with an empty directory.
  static func run(
    with change: (inout ServerSettings) -> Void = { _ in }, _ body: (Caller) async throws -> Void
  ) async throws {
    try await run(with: change) { dev, _, _ in try await body(dev) }
  }

  /// The same; `body` gets the server, and what stops it politely, as well.
  static func run(
    with change: (inout ServerSettings) -> Void = { _ in },
    _ body: (Caller, DevelopmentServer, ServiceGroup) async throws -> Void
  ) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "madang-dev-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    var settings = ServerSettings()
    (settings.port, settings.isDevelopment, settings.dataDirectory) = (0, true, folder)
    change(&settings)
    let development = try await DevelopmentServer(settings, logger: Scene.logger)
    let group = ServiceGroup(services: [development], logger: Scene.logger)
    let running = Task { try await group.run() }
    let result: Result<Void, any Error>
    do {
      let port = try await development.server.port
      try await body(Caller(url: "http://127.0.0.1:\(port)"), development, group)
      result = .success(())
    } catch {
      result = .failure(error)
    }
    running.cancel()
    _ = await running.result
    await development.end()
    try result.get()
  }

  @Test("a world is created, found, reset, saved, restored and removed")
  func life() async throws {
    try await Self.run { dev in
      let made = try await dev.call(.POST, "/_dev/worlds", #"{"seed":"courtyard","number":7,"name":"mine"}"#)
      #expect(made.status == 200, "\(made)")
      let url = try #require(try made.object["url"] as? String)
      #expect(try made.object["seed"] as? String == "courtyard" && made.object["number"] as? Int == 7)
      #expect(try made.object["now"] as? String == "2026-01-05T09:00:00.000Z")
      #expect(try await dev.call(.GET, "/_dev/worlds").list.count == 1)
      let world = Caller(url: url)
      #expect(try await world.call(.GET, "/_dev/world").body == made.body)
      let mina = try await world.signedIn("mina@example.com")
      #expect(try await world.call(.POST, "/_dev/snapshots", #"{"name":"signed in"}"#).body == #"["signed in"]"#)
      #expect(try await world.call(.POST, "/_dev/snapshots", #"{"name":".."}"#).status == 400)
      #expect(try await mina.call(.POST, "workspaces", #"{"name":"More","description":""}"#).status == 200)
      #expect(try await mina.call(.GET, "workspaces").list.count == 3)
      #expect(try await dev.call(.POST, "/_dev/worlds/w1/snapshots/signed%20in/restore").status == 200)
      #expect(try await mina.call(.GET, "workspaces").list.count == 2)
      #expect(try await world.call(.POST, "/_dev/reset").status == 200)
      #expect(try await mina.call(.GET, "workspaces").status == 400)
      #expect(try await dev.call(.DELETE, "/_dev/worlds/w1").body == "{}")
      #expect(try await dev.call(.GET, "/_dev/worlds").body == "[]")
    }
  }

  @Test("an archive of a world has the world's address, also at its server's port")
  func archive() async throws {
    try await Self.run { dev in
      let made = try await dev.call(.POST, "/_dev/worlds", #"{"seed":"courtyard"}"#).object
      let world = Caller(url: try #require(made["url"] as? String))
      _ = try await world.signedIn("mina@example.com")
      for (caller, path) in [(dev, "/_dev/worlds/w1"), (world, "/_dev")] {
        let archive = try await caller.call(.GET, path + "/journal?format=har").body
        #expect(archive.contains(#""url":"\#(world.url)/v1/users/login""#), "\(archive)")
      }
    }
  }

  @Test("a seed in YAML may be the whole body; name, number and lease are then parameters")
  func bareSeed() async throws {
    try await Self.run { dev in
      let seed = "people:\n  - email: a@example.com\n"
      let made = try await dev.call(
        .POST, "/_dev/worlds?number=7&name=bare&ttl=10m", seed, type: "application/x-www-form-urlencoded")
      #expect(made.status == 200, "\(made.body)")
      #expect(try made.object["number"] as? Int == 7 && made.object["name"] as? String == "bare")
      #expect(try made.object["expires"] is String)
      #expect(
        try await dev.call(.GET, "/_dev/worlds/bare/people").list.map { $0["email"] as? String } == ["a@example.com"])
      let typed = try await dev.call(
        .POST, "/_dev/worlds", #"{"people":[{"email":"b@example.com"}]}"#, type: "text/yaml")
      #expect(typed.status == 200, "\(typed.body)")
      for (query, body, words) in [
        ("number=7", "{}", "number: is a parameter only if the body is a seed in YAML; write it into the body"),
        ("number=x", seed, "number: a whole number from 0"), ("ttl=soon", seed, "ttl: a length of time like 500ms"),
        ("", "people: [{mail: x}]", "seed: "),
        ("settings=x", seed, "settings: is not a parameter of this call"),
      ] {
        let refused = try await dev.call(.POST, "/_dev/worlds?\(query)", body)
        #expect(refused.status == 400 && refused.body.contains(words), "\(refused.body)")
      }
    }
  }

  @Test("a world answers calls and sockets by its id and its name at its server's port")
  func host() async throws {
    try await Self.run { dev in
      _ = try await dev.call(.POST, "/_dev/worlds", #"{"seed":"courtyard","number":7,"name":"Mine"}"#)
      let port = try #require(URL(string: dev.url)?.port)
      func world(_ host: String, _ path: String = "/_dev/world") async throws -> String {
        let wire = try await Wire.connect(port)
        defer { wire.abort() }
        return String(
          decoding: try await wire.request("GET", path, headers: [("Host", host)]).body, as: UTF8.self)
      }
      for host in ["w1.localhost", "mine.localhost:\(port)", "MINE.localhost", "w1.LocalHost:\(port)"] {
        #expect(try await world(host).contains(#""id":"w1""#), "\(host)")
      }
      for host in ["w1", "w1.localhost.example.com"] {
        #expect(try await world(host).contains("development calls are for programs on this machine"), "\(host)")
      }
      for host in ["localhost", "other.localhost"] {
        #expect(try await world(host).contains("there is no development call GET /_dev/world"), "\(host)")
      }

      let url = try #require(try await dev.call(.GET, "/_dev/worlds/w1").object["url"] as? String)
      let mina = try await Caller(url: url).signedIn("mina@example.com")
      let weekend = try #require(
        try await mina.call(.GET, "workspaces").list.first { $0["name"] as? String == "Weekend" }?["workspace_id"])
      let channel = try #require(
        try await mina.call(.GET, "workspaces/\(weekend)/channels").list.first { $0["name"] as? String == "quiet" })
      let id = try #require(channel["channel_id"])
      let headers = [("Host", "w1.localhost"), ("Authorization", mina.token ?? "")]
      let opened = try await Wire.connect(port).request(
        "GET", "/socket.io/?EIO=4&transport=polling", headers: headers)
      #expect(String(decoding: opened.body, as: UTF8.self).hasPrefix(#"0{"sid":""#))
      let socket = try await RawWebSocket.open(port, "/socket.io/?EIO=4&transport=websocket", headers: headers)
      _ = await socket.text()
      try await socket.send("40/ws-channel-\(id),")
      #expect(await socket.text()?.hasPrefix("40/ws-channel-\(id),") == true)
      // It was posted at the world's own port.
      _ = try await mina.call(.GET, "workspaces/\(weekend)/channels/\(id)/chats")
      _ = try await mina.call(.POST, "workspaces/\(weekend)/channels/\(id)/chats", #"{"content":"Hello"}"#)
      #expect(await socket.text()?.contains("Hello") == true)
      socket.wire.abort()
    }
  }

  @Test("the id of an unknown or removed world is no host, for calls and for sockets")
  func noSuchHost() async throws {
    try await Self.run { dev in
      _ = try await dev.call(.POST, "/_dev/worlds")
      _ = try await dev.call(.DELETE, "/_dev/worlds/w1")
      let port = try #require(URL(string: dev.url)?.port)
      let upgrade = [
        ("Connection", "Upgrade"), ("Upgrade", "websocket"), ("Sec-WebSocket-Version", "13"),
        ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="),
      ]
      for host in ["w1.localhost", "W7.localhost:\(port)"] {
        for (path, headers) in [
          ("/_dev/clock", []), ("/v1/workspaces", []), ("/livez", []),
          ("/socket.io/?EIO=4&transport=polling", []), ("/socket.io/?EIO=4&transport=websocket", upgrade),
        ] {
          let wire = try await Wire.connect(port)
          defer { wire.abort() }
          let answer = try await wire.request("GET", path, headers: headers + [("Host", host)])
          #expect(answer.status == 404, "\(host) \(path)")
          #expect(
            String(decoding: answer.body, as: UTF8.self).hasPrefix(
              #"{"error":"there is no world with the host '\#(host)'"#),
            "\(host) \(path)")
        }
      }
    }
  }

  @Test("the Date of answers is real time until the clock is changed, then the clock's time")
  func dates() async throws {
    try await Self.run { dev in
      func date() async throws -> Date {
        let text = try #require(try await dev.call(.GET, "/livez").headers.first(name: "Date"))
        // "Mon, 05 Jan 2026 09:00:00 GMT"
        let parts = text.split { ", ".contains($0) }
        try #require(parts.count == 6, "\(text)")
        let month = try #require(WireDate.months.firstIndex(of: String(parts[2]))) + 1
        return try Date("\(parts[3])-\(month < 10 ? "0" : "")\(month)-\(parts[1])T\(parts[4])Z", strategy: .iso8601)
      }
      #expect(abs(try await date().timeIntervalSinceNow) < 60)
      _ = try await dev.call(.POST, "/_dev/clock", #"{"advance":7200}"#)
      #expect(abs(try await date().timeIntervalSinceNow - 7200) < 60)
    }
  }

  @Test("the clock is read and changed, at a server and at a world")
  func clock() async throws {
    try await Self.run { dev in
      #expect(try await dev.call(.GET, "/_dev/clock").object["rate"] as? Double == 1)
      _ = try await dev.call(.POST, "/_dev/worlds", #"{"number":1}"#)
      let path = "/_dev/worlds/w1/clock"
      #expect(try await dev.call(.GET, path).body == #"{"now":"2026-01-05T09:00:00.000Z","rate":0}"#)
      #expect(
        try await dev.call(.POST, path, #"{"advance":90.5}"#).body == #"{"now":"2026-01-05T09:01:30.500Z","rate":0}"#)
      let world = Caller(url: try #require(try await dev.call(.GET, "/_dev/worlds/w1").object["url"] as? String))
      #expect(
        try await world.call(.GET, "workspaces").headers.first(name: "Date") == "Mon, 05 Jan 2026 09:01:30 GMT")
      let wire = try await Wire.connect(try #require(URL(string: dev.url)?.port))
      defer { wire.abort() }
      let byHost = try await wire.request("GET", "/livez", headers: [("Host", "w1.localhost")])
      #expect(byHost.headers["date"] == "Mon, 05 Jan 2026 09:01:30 GMT")
      #expect(
        try await dev.call(.POST, path, #"{"set":"2025-01-01T00:00:00Z"}"#).body
          == #"{"now":"2025-01-01T00:00:00.000Z","rate":0}"#)
      #expect(try await dev.call(.POST, path, #"{"rate":60}"#).object["rate"] as? Double == 60)
      #expect(try await dev.call(.POST, path, #"{"freeze":true}"#).object["rate"] as? Double == 0)
      #expect(try await dev.call(.POST, path, #"{"resume":true}"#).object["rate"] as? Double == 1)
    }
  }

  @Test(
    "an impossible call is refused with its cause and its cure",
    arguments: [
      ("/_dev/worlds", #"{"seed":"nowhere"}"#, "there are empty, courtyard, crowded, edge"),
      ("/_dev/worlds", #"{"seed":"people:\n  - {nick: x}"}"#, "seed: line 2: a person has no field 'nick'"),
      ("/_dev/worlds", #"{"seed":{"people":[{"email":"x"}]}}"#, "email: not an e-mail address"),
      ("/_dev/worlds", #"{"port":70000}"#, "port: 0 to 65535"),
      ("/_dev/worlds", #"{"number":-1}"#, "number: a whole number from 0"),
      ("/_dev/worlds", "[", "the body is not valid JSON"),
      ("/_dev/worlds", String(repeating: "[", count: 600), "the body is not valid JSON"),
      ("/_dev/worlds", "seed=courtyard", #"write {"field": value}"#),
      ("/_dev/worlds", #""courtyard""#, "the body: must be an object"),
      ("/_dev/worlds", #"{"seed":7}"#, "seed: must be text or an object"),
      ("/_dev/worlds", #"{"port":"80"}"#, "port: must be a whole number"),
      ("/_dev/worlds", #"{"port":1.5}"#, "port: is not whole"),
      ("/_dev/worlds", #"{"name":5}"#, "name: must be text"),
      ("/_dev/worlds", #"{"name":".."}"#, "name: clients take '..' out of paths; choose another name"),
      ("/_dev/scripts", String(repeating: "[", count: 600), "scripts: line 2: column 1: neither YAML nor JSON"),
      ("/_dev/worlds/w9/reset", "{}", "there is no world 'w9'"),
      ("/_dev/clock", #"{"advance":-1}"#, "advance: a length of time"),
      ("/_dev/clock", #"{"set":"tomorrow"}"#, "set: a date like"),
      ("/_dev/clock", #"{"rate":1e9}"#, "rate: how many times"),
      ("/_dev/clock", #"{"advance":"soon"}"#, "advance: a length of time"),
      ("/_dev/clock", #"{"freeze":"yes"}"#, "freeze: must be true or false"),
      ("/_dev/clock", #"{"freeze":false}"#, "freeze: only true is allowed, which stops the clock"),
      ("/_dev/clock", #"{"resume":false}"#, "resume: only true is allowed"),
      ("/_dev/clock", #"{"set":"0001-01-01T00:00:00Z"}"#, "set: a date like 2026-01-05T09:00:00Z, from 1970 on"),
      ("/_dev/clock", "", "the body has none of advance, set, rate, freeze, resume"),
      ("/_dev/expect", #"{"expected":{}}"#, "expected: must be a list"),
      ("/_dev/expect", #"{"expected":[{"kind":5}]}"#, "expected[0].kind: must be text"),
      ("/_dev/expect", #"{"expected":[{}],"order":"stict"}"#, "order: one of strict, any"),
      ("/_dev/faults", #"[{"effect":{"kind":"drop"}},{"effect":{"kind":"cut"}}]"#, "[1].effect.bytes: is missing"),
      ("/_dev/faults", #"[{"effect":{"kind":"drop","byte":1}}]"#, "[0].effect.byte: is not a field of an effect"),
      ("/_dev/faults", #"{"match":{"nth":1.5},"effect":{"kind":"drop"}}"#, "match.nth: is not whole"),
      ("/_dev/faults", #"{"effect":{"kind":"explode"}}"#, "effect.kind: one of status, expiredToken"),
      ("/_dev/scripts", " ", "scripts: the body is empty"),
      ("/_dev/payments", #"{"merchant_uid":"x"}"#, "amount: is missing"),
      ("/_dev/payments", #"{"merchant_uid":"x","amount":-5}"#, "amount: a whole number from 0"),
      ("/_dev/payments", #"{"merchant_uid":"x","amount":5,"status":"payed"}"#, "status: one of paid, ready"),
      ("/_dev/social-tokens", #"{"provider":"apple"}"#, "subject: is missing"),
      ("/_dev/social-tokens", #"{"provider":"apple","sub":"1"}"#, "sub: is not a field of this call"),
    ])
  func mistakes(_ path: String, _ body: String, _ words: String) async throws {
    try await Self.run { dev in
      let answer = try await dev.call(.POST, path, body)
      #expect(answer.status == 400)
      #expect(try (answer.object["error"] as? String)?.contains(words) ?? false, "\(answer.body)")
    }
  }

  @Test("a clock at the end of the year 9999 is not advanced, and says so")
  func endOfTime() async throws {
    try await Self.run { dev in
      #expect(try await dev.call(.POST, "/_dev/clock", #"{"set":"9999-12-31T23:59:59Z"}"#).status == 200)
      let answer = try await dev.call(.POST, "/_dev/clock", #"{"advance":"2s"}"#)
      #expect(answer.status == 400 && answer.body.contains("advance: the clock ends with the year 9999"))
      #expect(try await dev.call(.POST, "/_dev/clock", #"{"set":"2026-01-05T09:00:00Z"}"#).status == 200)
    }
  }

  @Test(
    "an unknown parameter or value is refused with the valid ones",
    arguments: [
      ("people?page=2", "page: is not a parameter of this call; it has after"),
      ("people?after=x", "after: the number of a person"),
      ("seed?formt=json", "formt: is not a parameter"), ("coverage?edition=x", "edition: is not a parameter"),
      ("pushes?after=x", "after: the id of a notification"),
      ("journal?status=2xx", "status: a status like 200"), ("journal?edition=2025", "there are 2024-01, 2024-10"),
      ("journal?fault=explode", "fault: 'explode' does not exist; there are status"),
      ("worlds/w9", "there is no world 'w9'; GET /_dev/worlds lists them"),
    ])
  func questions(_ path: String, _ words: String) async throws {
    try await Self.run { dev in
      let answer = try await dev.call(.GET, "/_dev/\(path)")
      #expect(answer.status == 400)
      #expect(try (answer.object["error"] as? String)?.contains(words) ?? false, "\(answer.body)")
    }
  }
}
