import CryptoExtras
import Foundation
import MadangAPI
import MadangCore
import NIOHTTP1
import Storage
import Support
import Synchronization
import Testing

@testable import MadangOperations
@testable import MadangProviders
@testable import MadangServer

@Suite("Push", .timeLimit(.minutes(5)))
struct PushTests {
  /// What was sent so far, once it is as many.
  static func pushes(_ world: World, _ count: Int) async throws -> [JSON] {
    var pushes: [JSON] = []
    _ = try await World.eventually {
      pushes = try await world.call(.GET, "/_dev/pushes?after=0", key: nil).json.list ?? []
      return pushes.count >= count
    }
    return pushes
  }

  static func register(_ person: TestPerson, _ token: String) async throws {
    _ = try await person.call(.POST, "users/deviceToken", .json(["deviceToken": .text(token)]))
  }

  @Test(
    "each other person of the room gets one push a device, in the form of that device's edition",
    arguments: TestEngine.available)
  func devices(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let yard = try await world.courtyard()
      let (a, b, w) = (yard.a, yard.b, yard.w)
      let channel = try await a.channel("잡담", in: w)
      let room = try await a.directMessage(with: b, in: w)
      _ = try await b.get("\(channel)/chats")
      // The author never, a member without device never, a member of the workspace only neither.
      try await Self.register(a, "device-a")
      try await a.invite(yard.c, to: w)
      try await Self.register(yard.c, "device-c")
      try await Self.register(b, "Optional(\"b\")")
      let chat = try await a.say("hello", in: channel)
      // Devices are read some time after the post, so changes of devices have to wait for that.
      _ = try await Self.pushes(world, 1)
      // A device gets one push, even if several sessions registered it.
      let old = try await world.call(
        .POST, "users/login", key: DevelopmentKey.january2024,
        .json(["email": .text(b.email), "password": .text(World.password), "deviceToken": "Optional(\"b\")"]))
      #expect(old.status == 200)
      _ = try await a.call(.POST, "\(room)/chats", .multipart([.file("files", Sample.png)]))
      let pushes = try await Self.pushes(world, 2)
      #expect(pushes.count == 2)
      #expect(pushes.map { $0["deviceToken"] } == ["Optional(\"b\")", "Optional(\"b\")"])
      let workspace = try await a.get(w)
      let channelPush: JSON = [
        "aps": ["alert": ["title": "Weekend Builders", "body": "#잡담\nMina: hello"], "sound": "default"],
        "type": "channel", "workspace_id": workspace["workspace_id"] ?? .null,
        "channel_id": chat["channel_id"] ?? .null,
      ]
      #expect(pushes.first?["payload"] == channelPush && pushes.first?["edition"] == "2024-10")
      // The person signed in through the other edition since, whose ids are numbers, sent as strings.
      let last = try #require(pushes.last)
      #expect(last["edition"] == "2024-01")
      let payload = last["payload"]
      #expect(payload?["aps"] == ["alert": ["title": "Mina", "body": "사진"], "sound": "default"])
      #expect(payload?.keys == ["aps", "type", "workspace_id", "room_id", "opponent_id"])
      for key in ["workspace_id", "room_id", "opponent_id"] {
        #expect(payload?[key]?.string.flatMap { Int($0) } != nil, "\(key)")
      }
      let after = try await world.call(.GET, "/_dev/pushes?after=\(last["id"]?.int ?? 0)", key: nil).json
      #expect(after == [])
    }
  }

  @Test(
    "a push token belongs to the account that registered it last",
    arguments: TestEngine.available)
  func newestOwner(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let yard = try await world.courtyard()
      let (a, b, c, w) = (yard.a, yard.b, yard.c, yard.w)
      try await a.invite(c, to: w)
      let channel = try await a.channel("ios", in: w)
      for person in [b, c] { _ = try await person.get("\(channel)/chats") }
      try await Self.register(b, "shared-phone")
      _ = try await a.say("first", in: channel)
      #expect(try await Self.pushes(world, 1).count == 1)
      // Signing in with it counts as well.
      let login = World.Body.json([
        "email": .text(c.email), "password": .text(World.password), "deviceToken": "shared-phone",
      ])
      #expect(try await world.call(.POST, "users/login", login).status == 200)
      _ = try await a.say("for both", in: channel)
      #expect(try await Self.pushes(world, 2).count == 2)
      // The former owner registers it again.
      try await Self.register(b, "shared-phone")
      _ = try await a.say("for both again", in: channel)
      #expect(try await Self.pushes(world, 3).count == 3)
      let madang = world.server.madang
      _ = try await madang.database.write { transaction in
        try transaction.execute(
          """
          UPDATE sessions SET device_token = 'shared-phone', device_token_at = \(world.clock.now - 1000),
            device_hash = (SELECT device_hash FROM sessions WHERE device_token = 'shared-phone' LIMIT 1)
          WHERE user_id = (SELECT id FROM users WHERE nickname = \(c.nickname))
          """)
      }
      _ = try await a.say("for both, once more", in: channel)
      #expect(try await Self.pushes(world, 4).count == 4)
      try await Self.register(c, "own-phone")
      _ = try await a.say("last", in: channel)
      let pushes = try await Self.pushes(world, 6)
      let devices = pushes.suffix(2).compactMap { $0["deviceToken"]?.string }.sorted()
      #expect(pushes.count == 6 && devices == ["own-phone", "shared-phone"])
    }
  }

  @Test(
    "other owners of a push token are found by an index",
    arguments: TestEngine.available)
  func ownersByIndex(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let people = try await world.courtyard()
      let beginning = String(repeating: "A", count: 64)
      for (index, person) in [people.a, people.b, people.c].enumerated() {
        try await Self.register(person, "\(beginning)\(index)")
      }
      let hashes: Set<String> = try await world.server.madang.database.read { transaction in
        Set(
          try transaction.all("SELECT device_hash FROM sessions WHERE device_hash IS NOT NULL") {
            try $0.get("device_hash")
          })
      }
      #expect(hashes.count == 3)
    }
  }

  @Test("accounts that left, signed out or cleared their device get no push")
  func gone() async throws {
    try await World.run(.sqlite) { (world) async throws in
      let yard = try await world.courtyard()
      let (a, b, c, w) = (yard.a, yard.b, yard.c, yard.w)
      try await a.invite(c, to: w)
      let d = try await world.signUp("Dana")
      try await a.invite(d, to: w)
      let general = "\(w)/channels/\(try #require(try await a.get("\(w)/channels")[0]?["channel_id"]?.string))"
      for (index, person) in [b, c, d].enumerated() { try await Self.register(person, "device-\(index)") }
      try await Self.register(b, "")
      _ = try await c.get("users/logout")
      _ = try await a.say("one", in: general)
      #expect(try await Self.pushes(world, 1).map { $0["deviceToken"] } == ["device-2"])
      _ = try await d.get("\(w)/exit")
      try await Self.register(b, "device-3")
      _ = try await a.say(String(repeating: "각", count: 10_000), in: general)
      let pushes = try await Self.pushes(world, 2)
      #expect(pushes.map { $0["deviceToken"] } == ["device-2", "device-3"])
      let body = try #require(pushes.last?["payload"]?["aps"]?["alert"]?["body"]?.string)
      #expect(body.utf8.count < 3000 && body.hasSuffix("각"))
    }
  }

  @Test("Firebase gets one signed assertion for its token, then each payload unchanged")
  func firebase() async throws {
    let pem = try _RSA.Signing.PrivateKey(keySize: .bits2048).pemRepresentation
    let calls = Mutex<[FakeProvider.Call]>([])
    try await FakeProvider.run { call in
      calls.withLock { $0.append(call) }
      return call.path == "/token" ? (200, #"{"access_token":"t","expires_in":3600}"#) : (200, #"{"name":"m"}"#)
    } _: { provider in
      let file = FileManager.default.temporaryDirectory.appending(path: "account-\(UUID().uuidString).json")
      defer { try? FileManager.default.removeItem(at: file) }
      let account = [
        "project_id": "p 1", "client_email": "m@p.iam.gserviceaccount.com", "private_key": pem,
        "token_uri": "\(provider.url)/token",
      ]
      try JSONEncoder().encode(account).write(to: file)
      var settings = World.settings
      settings.providers.firebase.url = provider.url
      settings.providers.firebase.accountFile = file.path
      try await World.run(.sqlite, settings: settings) { (world) async throws in
        let yard = try await world.courtyard()
        let general = "\(yard.w)/channels"
        let path = "\(general)/\(try #require(try await yard.a.get(general)[0]?["channel_id"]?.string))"
        try await Self.register(yard.b, "a \"token\"")
        for text in ["one", "two"] { _ = try await yard.a.say(text, in: path) }
        #expect(try await World.eventually { calls.withLock { $0.count } >= 3 })
      }
      let all = calls.withLock(\.self)
      #expect(all.map(\.path) == ["/token", "/v1/projects/p%201/messages:send", "/v1/projects/p%201/messages:send"])
      #expect(all[0].body.contains("assertion=ey"))
      #expect(all.dropFirst().allSatisfy { $0.authorization == "Bearer t" })
      let message = try JSON(Data(all[1].body.utf8))["message"]
      #expect(message?["token"] == "a \"token\"")
      #expect(message?["apns"]?["payload"]?["aps"]?["alert"]?["body"] == "#일반\nMina: one")
    }
  }

  private static let notification = PushNotification(
    device: PushDevice(token: "d", edition: "e", person: 1, registeredAt: 0), payload: Array("{}".utf8), chat: "c",
    postedAt: 0)

  @Test("Firebase's refusals of one device are told apart from refusals of the server")
  func firebaseErrors() async throws {
    let pem = try _RSA.Signing.PrivateKey(keySize: .bits2048).pemRepresentation
    let answer = Mutex((status: 0, body: ""))
    try await FakeProvider.run { call in
      if call.path == "/token" { return (200, #"{"access_token":"t","expires_in":3600}"#) }
      return answer.withLock { ($0.status, $0.body) }
    } _: { provider in
      let file = FileManager.default.temporaryDirectory.appending(path: "account-\(UUID().uuidString).json")
      defer { try? FileManager.default.removeItem(at: file) }
      let account = [
        "project_id": "p", "client_email": "m@p.iam.gserviceaccount.com", "private_key": pem,
        "token_uri": "\(provider.url)/token",
      ]
      try JSONEncoder().encode(account).write(to: file)
      let firebase = try await FirebaseMessaging(
        .init(accountFile: file.path, url: provider.url), calls: ProviderCalls(timeout: .seconds(60)))
      let cases: [(Int, String?, String)] = [
        (200, nil, "taken"), (400, "INVALID_ARGUMENT", "refused"), (404, "UNREGISTERED", "unregistered"),
        (400, "message.token", "unregistered"), (400, "message.apns", "refused"),
        (403, "SENDER_ID_MISMATCH", "refused"), (401, "THIRD_PARTY_AUTH_ERROR", "refused"), (400, nil, "refused"),
        (429, "QUOTA_EXCEEDED", "delayed"), (500, "INTERNAL", "delayed"), (503, "UNAVAILABLE", "overloaded"),
        (503, nil, "overloaded"), (401, nil, "away"), (403, nil, "away"), (404, nil, "away"),
      ]
      for (status, code, expected) in cases {
        let details =
          code.map { code in
            code.hasPrefix("message.")
              ? #"[{"errorCode":"INVALID_ARGUMENT"},{"fieldViolations":[{"field":"\#(code)"}]}]"#
              : #"[{"@type":"type.googleapis.com/google.rpc.Any"},{"errorCode":"\#(code)"}]"#
          } ?? "[]"
        answer.withLock { $0 = (status, #"{"error":{"code":\#(status),"details":\#(details)}}"#) }
        let outcome: String
        do {
          try await firebase.send(Self.notification, isTrial: false)
          outcome = "taken"
        } catch PushFailure.refused { outcome = "refused" } catch PushFailure.delayed {
          outcome = "delayed"
        } catch PushFailure.unregistered { outcome = "unregistered" } catch PushFailure.overloaded {
          outcome = "overloaded"
        } catch { outcome = "away" }
        #expect(outcome == expected, "\(status) \(code ?? "")")
      }
    }
  }

  @Test(
    "another server pushes a chat of a stopped server once its claim is over",
    arguments: TestEngine.available)
  func leftUntold(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let yard = try await world.courtyard()
      let (a, b, madang) = (yard.a, yard.b, world.server.madang)
      let room = try await a.directMessage(with: b, in: yard.w)
      try await Self.register(b, "device-b")
      _ = try await a.say("one", in: room)
      #expect(try await Self.pushes(world, 1).count == 1)
      #expect(try await World.eventually { try await madang.waitingPushes() == 0 })
      // As if a server had claimed a chat and died.
      let (now, claim) = (madang.database.dialect.time, world.clock.advanced + Madang.pushClaim)
      _ = try await madang.database.write { transaction in
        try transaction.execute(
          """
          INSERT INTO push_outbox (chat_id, claimed_until, room_id)
          SELECT id, \(sql: now) + \(claim), room_id FROM chats
          """)
      }
      #expect(try await madang.claimPushes(limit: 10).isEmpty)
      world.clock.advance(milliseconds: Madang.pushClaim)
      _ = try await a.say("two", in: room)
      #expect(try await Self.pushes(world, 3).count == 3)
      #expect(try await World.eventually { try await madang.waitingPushes() == 0 })
    }
  }

  @Test(
    "two servers push each chat once, and one that waited too long never",
    arguments: TestEngine.available)
  func pair(_ engine: TestEngine) async throws {
    try await World.pair(engine) { first, second in
      let yard = try await first.courtyard()
      let (a, b) = (yard.a, yard.b)
      let room = try await a.directMessage(with: b, in: yard.w)
      try await Self.register(b, "device-b")
      for index in 0..<20 { _ = try await (index.isMultiple(of: 2) ? a : a.at(second)).say("\(index)", in: room) }
      let madang = first.server.madang
      #expect(try await World.eventually { try await madang.waitingPushes() == 0 })
      let told = try await Self.pushes(first, 0).count + Self.pushes(second, 0).count
      #expect(told == 20)
      _ = try await madang.database.write { transaction in
        try transaction.execute("UPDATE chats SET created_at = created_at - 7200000 WHERE seq = 1")
        try transaction.execute(
          "INSERT INTO push_outbox (chat_id, claimed_until, room_id) SELECT id, 0, room_id FROM chats WHERE seq = 1")
      }
      #expect(try await World.eventually { try await madang.waitingPushes() == 0 })
      #expect(try await Self.pushes(first, 0).count + Self.pushes(second, 0).count == 20)
    }
  }

  @Test("claims use the database's clock, so a server whose clock is ahead takes none from others")
  func clocks() async throws {
    for engine in TestEngine.available {
      var settings = World.settings
      settings.isDevelopment = false
      settings.keys = [DevelopmentKey.october2024: .october2024]
      try await World.run(engine, settings: settings) { (world) async throws in
        let (a, ours) = (try await world.signUp("Mina"), world.server.madang)
        _ = try await a.say("one", in: try await a.channel("ios", in: try await a.workspace()))
        _ = try await ours.database.write { transaction in
          try transaction.execute(
            "INSERT INTO push_outbox (chat_id, claimed_until, room_id) SELECT id, 0, room_id FROM chats")
        }
        let theirs = Madang(
          database: ours.database, clock: Clock({ Clock.systemTime() + 3_600_000 }), ids: ours.ids, files: ours.files,
          settings: ours.settings, hashing: ours.hashing, logger: ours.logger, announce: { _ in })
        let claimed = try await ours.claimPushes(limit: 10)
        #expect(claimed.count == 1)
        #expect(abs(claimed[0].until - Madang.pushClaim - Clock.systemTime()) < Madang.pushClaim)
        #expect(try await theirs.claimPushes(limit: 10).isEmpty)
        let renewed = try #require(try await ours.renewPush(claimed[0]))
        try await ours.finish(renewed)
        #expect(try await ours.waitingPushes() == 0)
      }
    }
  }

  @Test("a server that lost its claim leaves the chat to the new owner", arguments: TestEngine.available)
  func lostClaim(_ engine: TestEngine) async throws {
    var settings = World.settings
    settings.isDevelopment = false
    settings.keys = [DevelopmentKey.october2024: .october2024]
    try await World.run(engine, settings: settings) { (world) async throws in
      let (a, madang) = (try await world.signUp("Mina"), world.server.madang)
      _ = try await a.say("one", in: try await a.channel("ios", in: try await a.workspace()))
      _ = try await madang.database.write { transaction in
        try transaction.execute(
          "INSERT INTO push_outbox (chat_id, claimed_until, room_id) SELECT id, 0, room_id FROM chats")
      }
      let first = try await madang.claimPushes(limit: 1)
      world.clock.advance(milliseconds: Madang.pushClaim)
      let second = try await madang.claimPushes(limit: 1)
      #expect(first.count == 1 && second.count == 1)
      #expect(try await madang.renewPush(first[0]) == nil)
      try await madang.finish(first[0])
      #expect(try await madang.waitingPushes() == 1)
      try await madang.finish(second[0])
      #expect(try await madang.waitingPushes() == 0)
    }
  }

  @Test("a malformed service account file stops the start, with a cure")
  func firebaseMistake() async throws {
    var settings = World.settings
    settings.providers.firebase.accountFile = "/nonexistent.json"
    do {
      try await World.run(.sqlite, settings: settings) { _ in }
      Issue.record("the server started")
    } catch let error as SetupError {
      #expect(error.description.contains("push.firebase.account"))
    }
  }
}
