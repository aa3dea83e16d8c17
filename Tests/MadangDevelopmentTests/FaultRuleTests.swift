import Foundation
import MadangAPI
import MadangCore
import MadangDevelopment
import MadangOperations
import MadangServer
import NIOHTTP1
import SocketIOSupport
import Support
import Testing

@Suite("Rules of faults", .timeLimit(.minutes(5)))
struct FaultRuleTests {
  /// Adds a rule by the HTTP call and returns its answer.
  private func add(_ json: String, to scene: FaultScene) async throws -> Support.World.Answer {
    try await scene.world.call(.POST, "/_dev/faults", key: nil, .raw(json, type: "application/json"))
  }

  /// The answers to calls of a person's profile.
  private func statuses(_ count: Int, _ scene: FaultScene) async throws -> [Int] {
    var statuses: [Int] = []
    for _ in 0..<count { statuses.append(try await scene.call(.GET, "users/me").status ?? 0) }
    return statuses
  }

  private func rule(_ match: String) -> String { #"{"match":{\#(match)},"effect":{"kind":"status","status":503}}"# }

  @Test("rules are added, listed with their counts, and removed")
  func calls() async throws {
    try await FaultScene.run { (scene) async throws in
      let first = try await add(rule(#""operation":"me","times":1"#), to: scene)
      #expect(String(decoding: first.body, as: UTF8.self) == #"{"id":1}"#)
      let more = try await add(
        #"[{"effect":{"kind":"drop"}}, {"effect":{"kind":"latency","milliseconds":5,"jitter":3},"match":{"seed":1}}]"#,
        to: scene)
      #expect(String(decoding: more.body, as: UTF8.self) == #"{"ids":[2,3]}"#)
      #expect(try await statuses(2, scene) == [503, 200])
      let list = try await scene.world.call(.GET, "/_dev/faults", key: nil)
      #expect(
        String(decoding: list.body, as: UTF8.self) == """
          {"faults":[{"applied":1,"effect":{"kind":"status","status":503},"id":1,"match":{"operation":"me","times":1},\
          "matched":2},{"applied":0,"effect":{"kind":"drop"},"id":2,"match":{},"matched":0},{"applied":1,"effect":\
          {"jitter":3,"kind":"latency","milliseconds":5},"id":3,"match":{"seed":1},"matched":1}]}
          """)
      #expect(try await scene.world.call(.DELETE, "/_dev/faults/1", key: nil).status == 200)
      #expect(try await scene.world.call(.DELETE, "/_dev/faults/1", key: nil).status == 400)
      #expect(scene.kit.faults.reports.map(\.id) == [2, 3])
      #expect(try await scene.world.call(.DELETE, "/_dev/faults", key: nil).status == 200)
      #expect(scene.kit.faults.reports == [])
      #expect(try await scene.world.call(.PUT, "/_dev/faults", key: nil).status != 200)
    }
  }

  @Test(
    "a mistake in a rule is answered with the field and the cure, and adds nothing",
    arguments: [
      (#"{"#, #"the body is not valid JSON; write {"field": value}"#),
      (#"{}"#, #"effect: is missing; a rule is {"match": {...}, "effect": {"kind": ...}}"#),
      (#"{"effect":{}}"#, "effect.kind: is missing"),
      (#"{"effect":{"kind":"status"}}"#, "effect.status: is missing; 'status' needs it"),
      (#"{"effect":{"kind":"status","status":99}}"#, "effect.status: 200 to 599"),
      (#"{"effect":{"kind":"status","status":"500"}}"#, "effect.status: must be a whole number, such as 5"),
      (#"{"effect":{"kind":"latency","milliseconds":600001}}"#, "effect.milliseconds: 0 to 600000"),
      (
        #"{"effect":{"kind":"latency","milliseconds":1e300}}"#,
        "effect.milliseconds: is not whole, or too large for its field"
      ),
      (#"{"effect":{"kind":"drop","bytes":1}}"#, "effect.bytes: is not a field of 'drop', which has none"),
      (
        #"{"effect":{"kind":"cut","bytes":1},"match":{"event":"x"}}"#,
        "match.event: selects packets of sockets, but 'cut' does not apply to these; leave it out, or choose another effect"
      ),
      (
        #"{"effect":{"kind":"drop"},"match":{"path":"/x"}}"#,
        "match.path: selects HTTP requests, but 'drop' does not apply to these; leave it out, or choose another effect"
      ),
      (
        #"{"effect":{"kind":"refuseUpgrade"},"match":{"account":"a@example.com"}}"#,
        "match.account: when a client asks for a WebSocket, its account is not known yet; leave it out"
      ),
      (#"{"effect":{"kind":"latency"}}"#, "effect.time: is missing; 'latency' needs it"),
      (#"{"effect":{"kind":"drip","bytes":0,"milliseconds":0}}"#, "effect.bytes: 1 to 1048576"),
      (
        #"{"effect":{"kind":"close","closeCode":1005}}"#,
        "effect.closeCode: 1000 to 1014 except 1004, 1005 and 1006, or 3000 to 4999"
      ),
      (#"{"effect":{"kind":"reset"},"match":{"nth":0}}"#, "match.nth: 1 to 1000000000"),
      (
        #"{"effect":{"kind":"reset"},"match":{"nth":1,"every":2}}"#,
        "match.every: is not allowed with 'nth'"
      ),
      (#"{"effect":{"kind":"reset"},"match":{"probability":2}}"#, "match.probability: above 0, and 1 at most"),
      (
        #"{"effect":{"kind":"reset"},"match":{"seed":2}}"#,
        "match.seed: is only for random rules; add 'probability', or 'jitter' of the effect"
      ),
      (#"{"effect":{"kind":"reset"},"match":{"until":"soon"}}"#, "match.until: a date like 2026-01-31T12:00:00.000Z"),
      (
        #"{"effect":{"kind":"reset"},"match":{"until":"2001-01-01T00:00:00Z"}}"#,
        "match.until: has already passed on the server's clock"
      ),
      (
        #"{"effect":{"kind":"reset"},"match":{"nth":1,"times":2}}"#,
        "match.times: is not allowed with 'nth', which applies once"
      ),
      (
        #"{"effect":{"kind":"reset"},"match":{"path":"v1/x"}}"#,
        "match.path: a path like /v1/workspaces, without its query; * stands for any text"
      ),
      (
        #"{"effect":{"kind":"reset"},"match":{"path":"/_dev/clock"}}"#,
        "match.path: development calls are not in the journal and not matched by rules"
      ),
      (
        #"{"effect":{"kind":"drop"},"match":{"event":"chanel","direction":"toClient"}}"#,
        "match.event: 'chanel' does not exist; there are channel, dm"
      ),
      (
        #"{"effect":{"kind":"reset"},"match":{"method":"GTE"}}"#,
        "match.method: 'GTE' does not exist; there are GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"
      ),
      (
        #"{"effect":{"kind":"reset"},"match":{"method":"GET","operation":"postToChannel"}}"#,
        "match.method: 'postToChannel' has another method"
      ),
      (
        #"{"effect":{"kind":"refuseNamespace"},"match":{"direction":"toClient"}}"#,
        "match.direction: only clients ask for namespaces; leave it out, or write fromClient"
      ),
      (
        #"{"effect":{"kind":"refuseNamespace"},"match":{"packet":"event"}}"#,
        "match.packet: clients ask for namespaces only with a connect; leave packet and event out"
      ),
      (
        #"{"effect":{"kind":"drop"},"match":{"packet":"noop"}}"#,
        "match.packet: rules do not apply to a noop, which only ends a poll"
      ),
      (
        #"{"effect":{"kind":"drop"},"match":{"packet":"ping","namespace":"/x"}}"#,
        "match.namespace: 'ping' belongs to the connection, not to a namespace; leave it out"
      ),
      (#"{"effect":{"kind":"drop"},"match":{"direction":"up"}}"#, "match.direction: one of fromClient, toClient"),
      (
        #"{"effect":{"kind":"contentType","contentType":"a\r\nb: c"}}"#,
        "effect.contentType: visible ASCII characters and spaces"
      ),
    ])
  func mistakes(_ json: String, _ error: String) async throws {
    try await FaultScene.run { (scene) async throws in
      let answer = try await add(json, to: scene)
      #expect(answer.status == 400)
      #expect(try answer.json == ["error": .text(error)])
      let list = try await add("[\(json)]", to: scene)
      #expect(list.status == 400)
      #expect(scene.kit.faults.reports == [])
    }
  }

  @Test("an unknown field and an unknown operation are named")
  func unknown() async throws {
    try await FaultScene.run { (scene) async throws in
      let field = try await add(rule(#""opration":"me""#), to: scene)
      #expect(
        try field.json["error"]?.string?.hasPrefix("match.opration: is not a field of a match; it has edition, ")
          == true)
      let operation = try await add(rule(#""operation":"postChannel""#), to: scene)
      #expect(
        try operation.json["error"]?.string?.hasPrefix(
          "match.operation: no edition has 'postChannel'; did you mean postToChannel? Give an operationId ") == true)
    }
  }

  @Test("the number of rules is limited")
  func limit() async throws {
    try await FaultScene.run { (scene) async throws in
      let rules = Array(repeating: FaultRule(FaultEffect(.drop)), count: Faults.maxRules)
      _ = try await scene.kit.faults.add(rules)
      let error = await #expect(throws: BadCall.self) { try await scene.kit.faults.add(rules[0]) }
      #expect(error?.error == "there are already 256 faults; remove some with DELETE /_dev/faults/ID")
    }
  }

  @Test("a rule applies by operation, edition, method, path and account", arguments: TestEngine.available)
  func matching(_ engine: TestEngine) async throws {
    try await FaultScene.run(engine) { (scene) async throws in
      let matches: [(String, isMeant: Bool)] = [
        (#""operation":"me""#, true), (#""operation":"GET /v1/users/me""#, true),
        (#""operation":"get /users/me""#, true),
        (#""operation":"channelHistory""#, false),
        (#""edition":"2024-10""#, true), (#""edition":"2024-01""#, false), (#""method":"get""#, true),
        (#""method":"POST""#, false), (#""path":"/v1/users/me""#, true), (#""path":"/v1/*/me""#, true),
        (#""path":"*""#, true), (#""path":"/v1/users""#, false), (#""account":"MINA@example.com""#, true),
        (#""account":"joon@example.com""#, false),
      ]
      for (match, isMeant) in matches {
        #expect(try await add(rule(match), to: scene).status == 200)
        #expect(try await statuses(1, scene) == [isMeant ? 503 : 200], "\(match)")
        scene.kit.faults.removeAll()
      }
    }
  }

  @Test("a rule applies the nth time, every nth time, some times, or until a moment")
  func due() async throws {
    try await FaultScene.run { (scene) async throws in
      let cases: [(String, [Int])] = [
        (#""nth":2"#, [200, 503, 200, 200]), (#""every":2"#, [200, 503, 200, 503]),
        (#""times":3"#, [503, 503, 503, 200]),
      ]
      for (match, expected) in cases {
        _ = try await add(rule(match), to: scene)
        #expect(try await statuses(4, scene) == expected, "\(match)")
        scene.kit.faults.removeAll()
      }
      _ = try await add(rule(#""until":"\#(WireDate.string(scene.world.clock.now + 60_000))""#), to: scene)
      #expect(try await statuses(1, scene) == [503])
      scene.world.clock.advance(milliseconds: 60_001)
      #expect(try await statuses(1, scene) == [200])
    }
  }

  @Test("random rules repeat with the same seed and differ with another")
  func chance() async throws {
    try await FaultScene.run { (scene) async throws in
      var runs: [[Int]] = []
      for seed in [7, 7, 8] {
        _ = try await add(rule(#""probability":0.5,"seed":\#(seed)"#), to: scene)
        runs.append(try await statuses(24, scene))
        scene.kit.faults.removeAll()
      }
      #expect(runs[0] == runs[1])
      #expect(runs[0] != runs[2])
      #expect(Set(runs[0]) == [200, 503])
    }
  }

  @Test("the first rule that is due applies; later rules do not see the request")
  func order() async throws {
    try await FaultScene.run { (scene) async throws in
      _ = try await add(
        #"[{"effect":{"kind":"status","status":501},"match":{"nth":1}},{"effect":{"kind":"status","status":502}}]"#,
        to: scene)
      #expect(try await statuses(3, scene) == [501, 502, 502])
      #expect(scene.kit.faults.reports.map(\.matched) == [3, 2])
    }
  }

  @Test("a restart can be requested within limits")
  func restart() async throws {
    try await FaultScene.run { (scene) async throws in
      let bad = try await scene.world.call(.POST, "/_dev/restart", key: nil, .json(["milliseconds": -1]))
      #expect(try bad.json == ["error": "milliseconds: 0 to 60000"])
      let socket = try await scene.joined(.webSocket)
      let answer = try await scene.world.call(.POST, "/_dev/restart", key: nil, .json(["milliseconds": 0]))
      #expect(answer.status == 200)
      #expect(await socket.webSocket?.next() == .end)
      #expect(try await scene.call(.GET, "users/me").status == 200)
    }
  }

  @Test("a server outside development mode has no faults")
  func production() async throws {
    var settings = Support.World.settings
    settings.isDevelopment = false
    try await Support.World.run(.sqlite, settings: settings) {
      TestKit(clock: $0)
    } _: { (world) async throws in
      #expect(try await world.call(.GET, "/_dev/faults", key: nil).code == "E01")
    }
  }
}
