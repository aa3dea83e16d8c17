import Foundation
import MadangAPI
import MadangServer
import NIOHTTP1
import SocketIOSupport
import Support
import Testing

@testable import MadangDevelopment

@Suite("Calls about sockets and recorded requests", .timeLimit(.minutes(5)))
struct SocketCallsTests {
  @Test("open sockets are listed with account, transport and rooms until they end", arguments: Carrier.allCases)
  func list(_ carrier: Carrier) async throws {
    try await FaultScene.run { (scene) async throws in
      let client = try await scene.joined(carrier)
      let socket = try #require(try await scene.sockets().first)
      #expect(socket["account"]?.string == "mina@example.com")
      #expect(socket["transport"]?.string == (carrier == .polling ? "polling" : "websocket"))
      #expect(socket["namespaces"] == .list([.text(scene.namespace)]))
      #expect(try await scene.sockets().count == 1)
      try await client.send("1")
      await until { (try? await scene.sockets().isEmpty) ?? false }
    }
  }

  @Test("a call waits for the sockets of an account, whether packets are recorded or not", arguments: [true, false])
  func wait(_ recordsPackets: Bool) async throws {
    try await FaultScene.run { (scene) async throws in
      let set = try await scene.world.call(
        .POST, "/_dev/journal", key: nil, .raw(#"{"packets":\#(recordsPackets)}"#, type: "application/json"))
      #expect(set.status == 200)
      _ = try await EngineClient(port: scene.port, .webSocket)
      async let first = scene.sockets("?account=mina&wait=30s")
      _ = try await scene.joined(.webSocket)
      #expect(try await first.map { $0["account"]?.string } == ["mina@example.com"])
      async let both = scene.sockets("?account=mina@example.com&count=2&wait=30s")
      _ = try await scene.joined(.polling)
      #expect(try await both.count == 2)
      // In vain: the answer has what there is.
      #expect(try await scene.sockets("?account=mina&count=3&wait=10ms").count == 2)
      #expect(try await scene.sockets("?account=joon&wait=10ms").isEmpty)
      #expect(try await scene.sockets().count == 3)
    }
  }

  @Test("a call that waits for the sockets of an account gets none of another one that has its number after a restore")
  func restored() async throws {
    try await Scene.run { worlds in
      let world = try await worlds.make(try Scene.plan(.courtyard, number: 1))
      try await world.snapshot("before")
      func signUp(_ name: String) async throws -> String {
        let answer = try await Caller(url: world.url).call(
          .POST, "users/join", #"{"email":"\#(name)@example.com","password":"Passw0rd!","nickname":"\#(name)"}"#)
        return try #require(try JSON(Array(answer.body.utf8))["token"]?["accessToken"]?.string)
      }
      _ = try await signUp("first")
      let waiting = Task { try await world.kit.sockets.list(account: "first", within: .seconds(10)) }
      await until { world.kit.journal.arrivals.isAwaited }
      try await world.restore("before")
      let token = try await signUp("second")
      let mina = try await Caller(url: world.url).signedIn("mina@example.com")
      let room = try await mina.chats(of: "ios").split(separator: "/").map(String.init)
      #expect(
        try await mina.call(.POST, "workspaces/\(room[1])/members", #"{"email":"second@example.com"}"#).status == 200)
      let client = try await EngineClient(port: world.port, .webSocket)
      let auth = #"{"SesacKey":"\#(DevelopmentKey.october2024)","token":"\#(token)"}"#
      let joined = try await client.join(RoomNamespace(.channel, room[3]).name, auth: auth)
      #expect(joined?.hasPrefix("40/ws-channel-") == true, "\(String(describing: joined))")
      #expect(try await world.kit.sockets.list(account: "second").count == 1)
      #expect(try await waiting.value.isEmpty)
    }
  }

  @Test(
    "a list of sockets with a wrong parameter is refused",
    arguments: [
      ("account=ghost", "there is no person with the e-mail 'ghost'"), ("wait=2h", "wait: "),
      ("count=-1&wait=1s", "count: how many"), ("count=2", "count: needs 'wait'"),
      ("who=mina", "who: "), ("wait=1s&wait=2s", "wait: is given twice"),
    ])
  func wrongList(_ query: String, _ words: String) async throws {
    try await FaultScene.run { (scene) async throws in
      let answer = try await scene.world.call(.GET, "/_dev/sockets?\(query)", key: nil)
      #expect(answer.status == 400 && String(decoding: answer.body, as: UTF8.self).contains(words))
    }
  }

  @Test("a socket that is cut ends with a reset, and is gone from the list")
  func cut() async throws {
    try await FaultScene.run { (scene) async throws in
      _ = try await scene.joined(.webSocket)
      let session = try #require(try await scene.sockets().first?["session"]?.string)
      let answer = try await scene.world.call(.DELETE, "/_dev/sockets/\(session)", key: nil)
      #expect(answer.status == 200)
      #expect(try await scene.sockets().isEmpty)
      let entry = try await scene.entry("kind=connection&event=closed")
      #expect(entry.session == session && entry.reason == "transport error")
      let second = try await scene.world.call(.DELETE, "/_dev/sockets/\(session)", key: nil)
      #expect(second.status == 400 && String(decoding: second.body, as: UTF8.self).contains("there is no open socket"))
    }
  }

  @Test("the sockets of one account are cut, then those of all")
  func cutAccount() async throws {
    try await FaultScene.run { (scene) async throws in
      let other = try await scene.world.signUp("Other")
      try await scene.mina.invite(other, to: scene.workspace)
      for _ in 0..<2 { _ = try await scene.joined(.webSocket) }
      let second = try await EngineClient(port: scene.port, .webSocket)
      _ = try await second.join(
        scene.namespace, auth: #"{"SesacKey":"\#(other.edition.developmentKey)","token":"\#(other.token)"}"#)
      func cut(_ query: String) async throws -> String {
        let answer = try await scene.world.call(.DELETE, "/_dev/sockets\(query)", key: nil)
        return String(decoding: answer.body, as: UTF8.self)
      }
      #expect(try await cut("?account=mina") == #"{"cut":2}"#)
      #expect(try await scene.sockets().map { $0["account"]?.string } == [other.email])
      #expect(try await cut("?account=ghost").contains("there is no person with the e-mail 'ghost'"))
      #expect(try await cut("") == #"{"cut":1}"#)
      #expect(try await cut("") == #"{"cut":0}"#)
    }
  }

  @Test(
    "a recorded post is sent again with its own credentials, and is an entry of its own",
    arguments: TestEngine.available)
  func again(_ engine: TestEngine) async throws {
    try await FaultScene.run(engine) { (scene) async throws in
      _ = try await scene.mina.say("Hello", in: scene.room)
      let first = try await scene.entry("operation=postToChannel")
      let answer = try await scene.sendAgain(first.number)
      #expect(answer["status"]?.int == 200)
      #expect(try await scene.contents() == ["Hello", "Hello"])
      let second = try #require(try await scene.entries("operation=postToChannel").last)
      #expect(second.number == answer["number"]?.int && second.account == "mina@example.com")
      #expect(second.request?.body == first.request?.body)
    }
  }

  @Test("fields of a form are sent again, and a request with a file is refused")
  func forms() async throws {
    try await FaultScene.run { (scene) async throws in
      func post(_ parts: String) async throws -> Int {
        _ = try await scene.world.call(
          .POST, "\(scene.room)/chats", token: scene.mina.token,
          .raw(parts + "--b--\r\n", type: "multipart/form-data; boundary=b"))
        return try #require(try await scene.entries("operation=postToChannel").last?.number)
      }
      let text = "--b\r\nContent-Disposition: form-data; name=\"content\"\r\n\r\n안녕\r\n"
      #expect(try await scene.sendAgain(try await post(text))["status"]?.int == 200)
      #expect(try await scene.contents() == ["안녕", "안녕"])
      let file = "--b\r\nContent-Disposition: form-data; name=\"files\"; filename=\"a.png\"\r\n\r\nx\r\n"
      let refused = try await scene.sendAgain(try await post(text + file), status: 400)
      #expect(refused["error"]?.string?.contains("the journal does not keep") == true)
      #expect(try await scene.sendAgain(100_000, status: 400)["error"]?.string?.contains("no such entry") == true)
    }
  }

  @Test("a fault applies to a request that is sent again")
  func faults() async throws {
    try await FaultScene.run { (scene) async throws in
      _ = try await scene.mina.say("Hello", in: scene.room)
      let number = try await scene.entry("operation=postToChannel").number
      let rule = #"{"match":{"operation":"postToChannel"},"effect":{"kind":"status","status":503}}"#
      _ = try await scene.world.call(.POST, "/_dev/faults", key: nil, .raw(rule, type: "application/json"))
      #expect(try await scene.sendAgain(number)["status"]?.int == 503)
      #expect(try await scene.contents() == ["Hello"])
    }
  }

  @Test("a server and a world describe themselves")
  func about() async throws {
    try await WorldCallsTests.run { dev in
      let world = try await dev.call(.POST, "/_dev/worlds", #"{"seed":"empty"}"#).object
      let about = try await dev.call(.GET, "/_dev/about").object
      #expect(about["url"] as? String == dev.url && about["world"] is NSNull)
      #expect((about["keys"] as? [String: String])?.keys.sorted() == ["2024-01", "2024-10"])
      let ofWorld = try await Caller(url: try #require(world["url"] as? String)).call(.GET, "/_dev/about").object
      #expect(ofWorld["url"] as? String == world["url"] as? String)
      #expect((ofWorld["world"] as? [String: Any])?["id"] as? String == "w1")
    }
  }
}

extension FaultScene {
  fileprivate func sockets(_ query: String = "") async throws -> [JSON] {
    try JSON(try await world.call(.GET, "/_dev/sockets\(query)", key: nil).body).list ?? []
  }

  fileprivate func sendAgain(_ number: Int, status: Int = 200) async throws -> JSON {
    let answer = try await world.call(.POST, "/_dev/journal/\(number)/again", key: nil)
    try #require(answer.status == status, "\(String(decoding: answer.body, as: UTF8.self))")
    return try JSON(answer.body)
  }
}
