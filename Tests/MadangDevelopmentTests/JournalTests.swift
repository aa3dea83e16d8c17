import Foundation
import MadangAPI
import MadangCore
import MadangServer
import NIOHTTP1
import SocketIOSupport
import Support
import Testing

@testable import MadangDevelopment

@Suite("Journal", .timeLimit(.minutes(5)))
struct JournalTests {
  @Test("a request is recorded with its operation, account, bodies, headers and times", arguments: TestEngine.available)
  func request(_ engine: TestEngine) async throws {
    try await FaultScene.run(engine) { (scene) async throws in
      _ = try await scene.mina.say("Hello", in: scene.room)
      let entry = try await scene.entry("operation=postToChannel")
      #expect(entry.kind == .request && entry.method == "POST" && entry.path == "/v1/\(scene.room)/chats")
      #expect(entry.edition == "2024-10" && entry.operation == "postToChannel")
      #expect(entry.account == "mina@example.com" && entry.status == 200 && entry.code == nil)
      #expect(entry.request?.body == #"{"content":"Hello"}"# && entry.request?.size == 19)
      #expect(entry.answer?.body?.contains(#""content":"Hello""#) == true)
      #expect(entry.size == 19 + (entry.answer?.body?.utf8.count ?? 0))
      #expect(entry.request?.headers.contains { $0.name.lowercased() == "sesackey" && $0.value == "***" } == true)
      #expect(entry.answer?.headers.contains { $0.name.lowercased() == "content-type" } == true)
      #expect((entry.milliseconds ?? 0) > 0 && entry.elapsed > 0 && entry.fault == nil && entry.longPolling == nil)
      #expect(entry.at == WireDate.string(scene.world.clock.now))
      // Without calls under /_dev.
      #expect(try await scene.entries("path=/_dev*").isEmpty)
    }
  }

  @Test("calls and payments are recorded in order, and all calls are counted")
  func order() async throws {
    try await FaultScene.run { (scene) async throws in
      _ = try await scene.entries("wait=0s")
      let (before, calls) = (scene.kit.journal.last, 40)
      for number in 1...calls {
        _ = try await scene.mina.say("\(number)", in: scene.room)
        if number.isMultiple(of: 9) {
          scene.kit.journal.record(
            .payment(.init(event: .recorded, id: "\(number)", merchantID: "m")))
        }
      }
      let told = try await scene.kit.journal.page(matching: JournalFilter(), after: before).entries
      var expected: [String] = []
      for number in 1...calls { expected += number.isMultiple(of: 9) ? ["\(number)", "\(number)"] : ["\(number)"] }
      #expect(
        told.map { $0.payment ?? $0.request?.body?.dropFirst(12).dropLast(2).description ?? "" } == expected)
      #expect(told.map(\.number) == Array(before + 1...before + expected.count))
      _ = try await scene.mina.say("one more", in: scene.room)
      let counts = CoverageReport(scene.kit.coverage.counts, editions: ["2024-10"], sections: ["operations"])
        .parts.first?.counts
      #expect(counts?["postToChannel"] == calls + 1)
    }
  }

  @Test("a refusal is recorded with its code and the account of its token")
  func refusal() async throws {
    try await FaultScene.run { (scene) async throws in
      #expect(try await scene.mina.code(.GET, "workspaces/5e4d7f0a-0000-4000-8000-000000000000") == "E13")
      let entry = try await scene.entry("code=E13")
      #expect(entry.status == 400 && entry.operation == "workspace" && entry.account == "mina@example.com")
      scene.world.clock.advance(milliseconds: 30 * 3_600_000)
      #expect(try await scene.mina.code(.GET, "workspaces") == "E05")
      #expect(try await scene.entry("code=E05").account == "mina@example.com")
      #expect(try await scene.world.call(.GET, "workspaces", key: "another").code == "E01")
      #expect(try await scene.entry("code=E01").operation == nil)
      #expect(try await scene.entries("status=4*").count == 3)
    }
  }

  @Test("an answer is recorded as its client received it, also pages and late refusals")
  func answers() async throws {
    try await FaultScene.run { (scene) async throws in
      func check(_ answer: Support.World.Answer, _ filter: String) async throws {
        let told = try #require(try await scene.entry(filter).answer)
        #expect(told.body == String(decoding: answer.body, as: UTF8.self) && told.size == answer.body.count)
        for header in told.headers {
          let value = answer.headers.first(name: header.name)
          #expect(header.name.lowercased() == "set-cookie" ? header.value == "***" : header.value == value)
        }
        let names = Set(told.headers.map { $0.name.lowercased() })
        #expect(names.subtracting(answer.headers.map { $0.name.lowercased() }).isEmpty)
        for (name, _) in answer.headers where !["date", "content-length", "connection"].contains(name.lowercased()) {
          #expect(names.contains(name.lowercased()), "\(name)")
        }
      }
      try await check(try await scene.mina.call(.GET, "users/me"), "operation=me&status=200")
      try await check(try await scene.mina.call(.GET, "/invite"), "path=/invite")
      #expect(try await scene.mina.call(.GET, "users/logout").status == 200)
      // After an operation that needs no account, the caller is looked up.
      let refused = try await scene.mina.call(.GET, "store/item/list")
      #expect(refused.code == "E02")
      try await check(refused, "operation=storeItems")
    }
  }

  @Test("a multipart body is recorded by its parts, a long body by its first bytes")
  func bodies() async throws {
    try await FaultScene.run { (scene) async throws in
      let parts: [Support.World.Part] = [
        .text("content", "Look"), .file("files", Sample.jpeg, filename: "a.jpg"), .text("password", "geheim"),
      ]
      let answer = try await scene.mina.call(.POST, "\(scene.room)/chats", .multipart(parts))
      #expect(answer.status == 200)
      let told = try #require(try await scene.entry("operation=postToChannel").request)
      #expect(
        told.parts == [
          .init(name: "content", fileName: nil, size: 4, text: "Look"),
          .init(name: "files", fileName: "a.jpg", size: Sample.jpeg.count, text: nil),
          .init(name: "password", fileName: nil, size: 6, text: "***"),
        ])
      #expect(told.body == nil && told.size > Sample.jpeg.count)
      let long = String(repeating: "x", count: 20_000)
      _ = try await scene.mina.call(.POST, "\(scene.room)/chats", .json(["content": .text(long)]))
      let last = try #require(try await scene.entries("operation=postToChannel").last?.request)
      #expect(last.truncated == true && last.body?.utf8.count == Journal.maxText && last.size == 20_014)
    }
  }

  @Test("a long answer is recorded by its first bytes")
  func longAnswer() async throws {
    try await FaultScene.run { (scene) async throws in
      for _ in 0..<10 { _ = try await scene.mina.say(String(repeating: "x", count: 2000), in: scene.room) }
      let answer = try await scene.mina.call(.GET, "\(scene.room)/chats")
      #expect(answer.status == 200)
      let told = try #require(try await scene.entry("method=GET&path=/v1/\(scene.room)/chats").answer)
      #expect(told.truncated == true && told.size == answer.body.count)
      #expect(told.body == String(decoding: answer.body.prefix(Journal.maxText), as: UTF8.self))
    }
  }

  @Test("a request with many long texts is recorded completely, and so are requests beside it")
  func large() async throws {
    try await FaultScene.run { (scene) async throws in
      let text = String(repeating: "x", count: Journal.maxText)
      let names = (0..<8).map { "part\($0)" }
      let parts = names.map { Support.World.Part.text($0, text) }
      for parts in [[], parts, [], parts, []] {
        let answer = try await scene.mina.call(
          .POST, "\(scene.room)/chats", .multipart([.text("content", "Look")] + parts))
        #expect(answer.status == 200)
      }
      let told = try await scene.entries("operation=postToChannel")
      #expect(told.map { $0.request?.parts?.map(\.name) } == [[], names, [], names, []].map { ["content"] + $0 })
      for entry in told {
        #expect(entry.request?.parts?.dropFirst().allSatisfy { $0.text == text } == true)
        #expect(entry.answer?.body?.contains("Look") == true)
      }
    }
  }

  @Test("a late answer is recorded once, as its client received it")
  func late() async throws {
    try await FaultScene.run { (scene) async throws in
      try await scene.kit.faults.add(
        FaultRule(
          FaultEffect(.latency) { $0.milliseconds = 1100 }, match: FaultMatch { $0.operation = "postToChannel" }))
      #expect(try await scene.mina.call(.POST, "\(scene.room)/chats", .json(["content": .text("Hello")])).status == 200)
      let entries = try await scene.entries("operation=postToChannel")
      #expect(entries.count == 1 && entries.first?.status == 200 && (entries.first?.milliseconds ?? 0) > 1000)
      #expect(entries.first?.answer?.body?.contains("Hello") == true)
    }
  }

  @Test("all texts of requests are recorded completely, however long they are")
  func texts() async throws {
    try await FaultScene.run { (scene) async throws in
      let counts = (0..<20).map { $0 % 4 }
      func field(_ number: Int, of index: Int) -> String { "\(index).\(number)" + String(repeating: "x", count: 6000) }
      for (index, count) in counts.enumerated() {
        let wire = try await Wire.connect(try scene.port)
        defer { wire.abort() }
        let headers = (0..<count).map { ("X-Long", field($0, of: index)) }
        #expect(try await wire.request("GET", "/none/\(index)", headers: headers).status == 400)
      }
      let told = try await scene.entries("path=/none/*")
      #expect(told.map(\.path) == counts.indices.map { "/none/\($0)" })
      for (index, entry) in told.enumerated() {
        let values = entry.request?.headers.filter { $0.name == "X-Long" }.map(\.value)
        #expect(values == (0..<counts[index]).map { field($0, of: index) })
      }
    }
  }

  @Test("parallel requests are each recorded completely, also while older entries are read and dropped")
  func atOnce() async throws {
    try await FaultScene.run { (scene) async throws in
      let (journal, connections, calls) = (scene.kit.journal, 8, 40)
      // Far fewer than there will be.
      journal.limits.entries = 60
      let before = journal.last
      @Sendable func name(_ connection: Int, _ call: Int) -> String { "\(connection)-\(call)" }
      @Sendable func field(_ connection: Int, _ call: Int) -> String {
        name(connection, call) + String(repeating: "x", count: call * 97 % 4000)
      }
      /// The number of recorded requests, each of which is checked.
      @Sendable func check() async throws -> Int {
        let told = try await journal.page(matching: JournalFilter { $0.path = "/none/*" }).entries
        for entry in told {
          let place = entry.path?.dropFirst("/none/".count).split(separator: "-").compactMap { Int($0) } ?? []
          try #require(place.count == 2)
          let values = entry.request?.headers.filter { $0.name == "X-Long" }.map(\.value)
          #expect(values == [field(place[0], place[1])])
          #expect(entry.status == 400 && entry.answer?.body?.contains("E01") == true)
        }
        #expect(zip(told, told.dropFirst()).allSatisfy { $0.elapsed <= $1.elapsed })
        return told.count
      }
      let port = try scene.port
      try await withThrowingTaskGroup { group in
        for connection in 0..<connections {
          group.addTask {
            for call in 0..<calls {
              let wire = try await Wire.connect(port)
              defer { wire.abort() }
              let path = "/none/\(name(connection, call))"
              #expect(try await wire.request("GET", path, headers: [("X-Long", field(connection, call))]).status == 400)
            }
          }
        }
        group.addTask { while journal.last < before + connections * calls { _ = try await check() } }
        try await group.waitForAll()
      }
      #expect(try await check() == 60 && journal.last == before + connections * calls)
    }
  }

  @Test("an expectation is met after a full journal was emptied", arguments: [false, true])
  func emptied(_ isReset: Bool) async throws {
    try await FaultScene.run { (scene) async throws in
      let journal = scene.kit.journal
      journal.limits.entries = 2
      for _ in 0..<5 { _ = try await scene.mina.get("workspaces") }
      let expected = #"{"expected":[{"operation":"me"}]}"#
      _ = try await scene.mina.get("users/me")
      #expect(try await scene.expect(expected).outcome.differences.first?.contains("were dropped") == true)
      journal.limits.entries = 20_000
      if isReset { journal.beginAnew() } else { journal.clear() }
      _ = try await scene.mina.get("users/me")
      #expect(try await scene.expect(expected).outcome.met)
    }
  }

  @Test("a fault is recorded with its request, also if the client got no answer")
  func faults() async throws {
    try await FaultScene.run { (scene) async throws in
      let id = try await scene.kit.faults.add(
        FaultRule(FaultEffect(.answerLost), match: FaultMatch { $0.operation = "postToChannel" }))
      #expect(try await scene.post("lost").bytes.isEmpty)
      let entry = try await scene.entry("operation=postToChannel&wait=60s")
      #expect(entry.fault == AppliedFault(rule: id, kind: "answerLost") && entry.status == nil && entry.answer == nil)
      #expect(entry.account == "mina@example.com" && entry.request?.body == #"{"content":"lost"}"#)
      #expect(try await scene.entries("fault=*").count == 1)
      #expect(try await scene.entries("fault=drop").isEmpty)
    }
  }

  @Test("sockets are recorded with their connections and packets", arguments: Carrier.allCases)
  func sockets(_ carrier: Carrier) async throws {
    try await FaultScene.run { (scene) async throws in
      let client = try await scene.joined(carrier)
      let told = try await scene.said("Hi")
      #expect(try await client.text() == told)
      let sid = await client.sid
      let opened = try await scene.entry("kind=connection&event=opened")
      #expect(opened.session == sid && opened.transport == (carrier == .webSocket ? "websocket" : "polling"))
      #expect(try await scene.entries("event=upgraded").map(\.session) == (carrier == .upgraded ? [sid] : []))
      let join = try await scene.entry("packet=connect&direction=fromClient")
      #expect(join.namespace == scene.namespace && join.payload == #"{"SesacKey":"***","token":"***"}"#)
      #expect(join.account == nil)
      let event = try await scene.entry("packet=event&event=channel&direction=toClient")
      #expect(event.namespace == scene.namespace && event.account == "mina@example.com" && event.session == sid)
      #expect(event.transport == (carrier == .polling ? "polling" : "websocket"))
      #expect(told == "42\(scene.namespace),\(event.payload ?? "")" && event.size == told.utf8.count)
      let polls = try await scene.entries("path=/socket.io/*")
      #expect(polls.isEmpty == (carrier == .webSocket))
      #expect(polls.allSatisfy { $0.longPolling == true && $0.request?.body == nil && $0.answer?.body == nil })
      try await client.send("1")
      let closed = try await scene.entry("kind=connection&event=closed&wait=1m")
      #expect(closed.session == sid && closed.reason == "transport close")
      await client.abort()
    }
  }

  @Test("faults of sockets are recorded with the packet or the refused connection")
  func socketFaults() async throws {
    try await FaultScene.run { (scene) async throws in
      let client = try await scene.joined(.webSocket)
      let drop = try await scene.kit.faults.add(
        FaultRule(FaultEffect(.drop), match: FaultMatch { $0.event = "channel" }))
      _ = try await scene.said("Hi")
      #expect(try await scene.entry("packet=event&wait=60s").fault == AppliedFault(rule: drop, kind: "drop"))
      let refuse = try await scene.kit.faults.add(FaultRule(FaultEffect(.refuseUpgrade)))
      await #expect(throws: (any Error).self) { _ = try await EngineClient(port: scene.port, .webSocket) }
      #expect(try await scene.entry("event=refused").fault == AppliedFault(rule: refuse, kind: "refuseUpgrade"))
      await client.abort()
    }
  }

  @Test("notifications and payments are recorded")
  func others() async throws {
    try await FaultScene.run { (scene) async throws in
      let joon = try await scene.world.signUp("Joon")
      _ = try await joon.post("users/deviceToken", ["deviceToken": "a-phone"])
      try await scene.mina.invite(joon, to: scene.workspace)
      let dm = try await scene.mina.directMessage(with: joon, in: scene.workspace)
      _ = try await scene.mina.say("Hi", in: dm)
      let push = try await scene.entry("kind=push&account=joon*&wait=1m")
      #expect(push.deviceToken == "a-phone" && push.edition == "2024-10" && push.payload?.contains("Hi") == true)
      let id = try await scene.world.payment("order-1", 100)
      _ = try await scene.mina.post("store/pay/validation", ["imp_uid": .text(id), "merchant_uid": "order-1"])
      let again = try await scene.mina.code(
        .POST, "store/pay/validation", .json(["imp_uid": .text(id), "merchant_uid": "order-1"]))
      #expect(again == "E81")
      let payments = try await scene.entries("kind=payment")
      #expect(payments.map(\.event) == ["recorded", "credited", "refused"])
      #expect(payments.map(\.account) == [nil, "mina@example.com", "mina@example.com"])
      #expect(payments.map(\.code) == [nil, nil, "E81"] && payments.allSatisfy { $0.payment == id })
    }
  }

  @Test("numbers continue after the journal is emptied; packets are recorded on request")
  func settings() async throws {
    try await FaultScene.run { (scene) async throws in
      let before = try await scene.journal()
      #expect(before.from == 1 && before.last == before.entries.last?.number)
      #expect(try await scene.world.call(.DELETE, "/_dev/journal", key: nil).status == 200)
      let empty = try await scene.journal("count=0")
      #expect(empty.entries.isEmpty && empty.from == before.last + 1 && empty.complete)
      let off = try await scene.world.call(.POST, "/_dev/journal", key: nil, .json(["packets": false]))
      #expect(try off.json["packets"] == false)
      let client = try await scene.joined(.webSocket)
      #expect(try await scene.entries("kind=packet").isEmpty)
      let few = try await scene.world.call(.POST, "/_dev/journal", key: nil, .json(["entries": 2, "bytes": 100_000]))
      #expect(try few.json["entries"] == 2 && few.json["bytes"] == 100_000)
      for _ in 0..<5 { _ = try await scene.mina.get("workspaces") }
      #expect(try await scene.entries().count == 2)
      let none = try await scene.world.call(.POST, "/_dev/journal", key: nil, .json(["entries": 0]))
      #expect(try none.status == 400 && none.json["error"] == "entries: a whole number from 1 to 1000000")
      _ = try await scene.world.call(.POST, "/_dev/journal", key: nil, .json(["entries": 20_000]))
      await client.abort()
    }
  }

  @Test(
    "an invalid question is refused with its cause and its cure",
    arguments: [
      ("kind=letter", "there are request, connection, packet, push, payment"),
      ("operation=fly", "no edition has 'fly'"), ("direction=up", "there are fromClient, toClient"),
      ("colour=red", "colour: is not a parameter of this call; it has kind"),
      ("wait=soon", "wait: a length of time like 500ms"),
      ("wait=61s", "at most 1m"), ("count=0x", "count: a whole number"), ("limit=0", "from 1 to 20000"),
      ("format=xml", "one of json, ndjson, har"),
      ("path=/password/5e5e", "path: the journal does not keep codes of links; write /password/*"),
    ])
  func mistakes(_ query: String, _ words: String) async throws {
    try await Scene.run { worlds in
      let world = try await worlds.make(try Scene.plan(.empty))
      let answer = try await Caller(url: world.url).call(.GET, "/_dev/journal?\(query)")
      #expect(answer.status == 400 && answer.body.contains(words), "\(answer.body)")
    }
  }

  @Test("a reset empties the journal; restoring a snapshot does not")
  func resets() async throws {
    try await Scene.run { worlds in
      let world = try await worlds.make(try Scene.plan(.courtyard))
      let caller = try await Caller(url: world.url).signedIn("mina@example.com")
      try await world.snapshot("signed in")
      _ = try await caller.call(.GET, "workspaces")
      try await world.restore("signed in")
      #expect(try await world.kit.journal.page(matching: JournalFilter { $0.kind = "request" }).entries.count == 2)
      let last = world.kit.journal.last
      try await world.reset()
      #expect(try await world.kit.journal.page(matching: JournalFilter()).entries.isEmpty)
      _ = try await caller.call(.GET, "workspaces")
      #expect(try await world.kit.journal.page(matching: JournalFilter()).entries.first?.number ?? 0 > last)
    }
  }
}
