import Foundation
import MadangAPI
import MadangDevelopment
import MadangServer
import NIOHTTP1
import SocketIOSupport
import Support
import Testing

@Suite("Resets during calls", .timeLimit(.minutes(5)))
struct ResetTests {
  /// A world in which Mina is signed in, kept under the name "signed in", and the path of chats of Weekend/ios.
  private static func run(_ body: (MadangDevelopment.World, Caller, String) async throws -> Void) async throws {
    try await Scene.run { worlds in
      let world = try await worlds.make(try Scene.plan(.courtyard, number: 1))
      let mina = try await Caller(url: world.url).signedIn("mina@example.com")
      let path = try await mina.chats(of: "ios")
      try await world.snapshot("signed in")
      await quiet(world)
      try await body(world, mina, path)
    }
  }

  /// Waits for the end of answered calls: a client has its answer a little earlier.
  private static func quiet(_ world: MadangDevelopment.World) async { await until { world.callsUnderWay == 0 } }

  private static func texts(_ mina: Caller, _ path: String) async throws -> [String] {
    try await mina.call(.GET, path).list.compactMap { $0["content"] as? String }
  }

  @Test(
    "a request that a fault delays ends with its connection and acts in no world",
    arguments: [
      #"{"kind":"latency","milliseconds":60000}"#,
      #"{"kind":"latency","milliseconds":60000,"after":true}"#, #"{"kind":"drip","bytes":1,"milliseconds":60000}"#,
    ])
  func delayed(_ effect: String) async throws {
    try await Self.run { world, mina, path in
      let rule = #"{"match":{"operation":"postToChannel","times":1},"effect":\#(effect)}"#
      #expect(try await mina.call(.POST, "/_dev/faults", rule).status == 200)
      let delayed = Task { try await mina.call(.POST, path, #"{"content":"late"}"#).status }
      await until { world.kit.faults.reports[0].applied == 1 }
      try await world.restore("signed in")
      await #expect(throws: (any Error).self) { try await delayed.value }
      #expect(try await mina.call(.POST, path, #"{"content":"next"}"#).status == 200)
      #expect(try await !Self.texts(mina, path).contains("late"))
    }
  }

  private static let slowBody = #"{"content":"slow"}"#

  /// A post of which all but the end of the body was sent.
  private static func beginSlowPost(_ world: MadangDevelopment.World, _ mina: Caller, _ path: String) async throws
    -> Wire
  {
    let wire = try await Wire.connect(world.port)
    let head = """
      POST /v1/\(path) HTTP/1.1\r\nHost: x\r\nSesacKey: \(DevelopmentKey.october2024)\r\nAuthorization: \(mina.token ?? "")\r
      Content-Type: application/json\r\nContent-Length: \(slowBody.utf8.count)\r\nConnection: close\r\n\r\n
      """
    try await wire.send(Array(head.utf8) + slowBody.utf8.prefix(5))
    return wire
  }

  @Test("a reset closes the connections of the running calls only")
  func slowInAnyOrder() async throws {
    try await Self.run { world, mina, path in
      var wires: [Wire] = []
      /// So many more begin.
      func begin(_ count: Int) async throws {
        for _ in 0..<count { wires.append(try await Self.beginSlowPost(world, mina, path)) }
        await until { [count = wires.count] in world.callsUnderWay == count }
      }
      /// One ends.
      func end(_ index: Int) async throws {
        let wire = wires.remove(at: index)
        try await wire.send(Array(Self.slowBody.utf8.dropFirst(5)))
        #expect(String(decoding: await wire.readToEnd(), as: UTF8.self).hasPrefix("HTTP/1.1 200 "))
        await until { [count = wires.count] in world.callsUnderWay == count }
      }
      try await begin(6)
      for index in [1, 3, 0] { try await end(index) }
      try await begin(4)
      for index in [5, 2] { try await end(index) }
      try await begin(1)
      let restored = Task { try await world.restore("signed in", within: .milliseconds(50)) }
      await until { world.callsUnderWay == 0 }
      // It began after the reset.
      let next = try await Self.beginSlowPost(world, mina, path)
      try await restored.value
      for wire in wires { #expect(await wire.readToEnd().isEmpty) }
      try await next.send(Array(Self.slowBody.utf8.dropFirst(5)))
      #expect(String(decoding: await next.readToEnd(), as: UTF8.self).hasPrefix("HTTP/1.1 200 "))
      #expect(try await Self.texts(mina, path).count { $0 == "slow" } == 1)
    }
  }

  @Test("a reset ends the connection of a slow upload, and does not answer that its body is broken")
  func slowUpload() async throws {
    try await Self.run { world, mina, path in
      let id = try await world.kit.faults.add(FaultRule(FaultEffect(.slowUpload) { $0.bytesPerSecond = 1 }))
      let wire = try await Self.beginSlowPost(world, mina, path)
      try await wire.send(Array(Self.slowBody.utf8.dropFirst(5)))
      await until { world.kit.faults.reports.first { $0.id == id }?.applied == 1 }
      try await world.reset()
      #expect(await wire.readToEnd().isEmpty)
    }
  }

  @Test("a call under way is answered by the former database, and its connection closed when that takes too long")
  func slow() async throws {
    try await Self.run { world, mina, path in
      for isInTime in [true, false] {
        await Self.quiet(world)
        let wire = try await Self.beginSlowPost(world, mina, path)
        await until { world.callsUnderWay == 1 }
        let restored = Task {
          try await world.restore("signed in", within: isInTime ? .seconds(20) : .milliseconds(50))
        }
        // The world that follows answers already.
        await until { world.callsUnderWay == 0 }
        if isInTime { try await wire.send(Array(Self.slowBody.utf8.dropFirst(5))) }
        let answer = String(decoding: await wire.readToEnd(), as: UTF8.self)
        #expect(isInTime ? answer.hasPrefix("HTTP/1.1 200 ") && answer.contains("slow") : answer.isEmpty, "\(answer)")
        try await restored.value
        #expect(try await !Self.texts(mina, path).contains("slow"))
      }
    }
  }

  @Test("an answer that is still being sent counts as a running call: its connection is closed when it takes too long")
  func download() async throws {
    try await Self.run { world, mina, path in
      let file = String(repeating: "%PDF-1.4 ", count: 450_000)
      let chat = try await mina.call(
        .POST, path,
        "--x\r\nContent-Disposition: form-data; name=\"files\"; filename=\"a.pdf\"\r\n\r\n\(file)\r\n--x--\r\n",
        type: "multipart/form-data; boundary=x")
      let name = try #require((chat.object["files"] as? [String])?.first)
      await Self.quiet(world)
      let wire = try await Wire.connect(world.port, isReading: false)
      let head = """
        GET /v1\(name) HTTP/1.1\r\nHost: x\r\nSesacKey: \(DevelopmentKey.october2024)\r\nAuthorization: \(mina.token ?? "")\r\n\r\n
        """
      try await wire.send(Array(head.utf8))
      await until { world.callsUnderWay == 1 }
      try await world.restore("signed in", within: .milliseconds(50))
      try await wire.startReading()
      #expect(await wire.readToEnd().count < file.utf8.count)
    }
  }

  @Test("calls that began before a reset are not in the journal after it")
  func journal() async throws {
    try await Self.run { world, mina, path in
      try await world.kit.faults.add(
        FaultRule(
          FaultEffect(.latency) { $0.milliseconds = 60_000 }, match: FaultMatch { $0.operation = "channelHistory" }))
      let delayed = Task { try await mina.call(.GET, path).status }
      await until { world.kit.faults.reports[0].applied == 1 }
      try await world.reset()
      await #expect(throws: (any Error).self) { try await delayed.value }
      #expect(try await world.kit.journal.page(matching: JournalFilter()).entries == [])
    }
  }

  @Test("a failed reset names the file and the problem, and changes nothing")
  func failure() async throws {
    try await Self.run { world, mina, path in
      try await world.kit.scripts.add(
        try Script.read("{name: s, start: true, when: {chat: {from: mina}}, do: [{as: joon, post: heard}]}"))
      // The world's first directory is its own, the second one the snapshot's.
      let taken = world.home.appending(path: "3")
      try Data().write(to: taken)
      let error = await #expect(throws: WorldError.self) { try await world.reset() }
      #expect(error?.description == "\(taken.path): already exists; another program created it. Remove it")
      #expect(world.kit.scripts.reports.map(\.state) == [.running])
      #expect(try await mina.call(.POST, path, #"{"content":"still here"}"#).status == 200)
      #expect(try await world.kit.scripts.report(of: "s", after: 1, within: .seconds(30)).runs == 1)
      #expect(try await Self.texts(mina, path).suffix(2) == ["still here", "heard"])
      try await world.reset()
      #expect(world.kit.scripts.reports.isEmpty)
      // In words also where a call asks for it. A snapshot waits until what was there before is removed.
      try await world.snapshot("x")
      try FileManager.default.removeItem(at: world.home)
      let answer = try await mina.call(.POST, "/_dev/reset")
      #expect(answer.status == 400 && answer.body.contains("is missing"), "\(answer)")
    }
  }

  @Test("payments, provider tokens and pushes return with a snapshot and are gone after a reset")
  func standIns() async throws {
    try await Self.run { world, mina, _ in
      func signIn(_ token: String) async throws -> Int {
        try await mina.call(.POST, "users/login/kakao", #"{"oauthToken":"\#(token)"}"#).status
      }
      let issued = try await mina.call(
        .POST, "/_dev/social-tokens", #"{"provider":"kakao","subject":"42","email":"k@example.com","nickname":"K"}"#)
      let token = try #require(try issued.object["token"] as? String)
      let payment = #"{"merchant_uid":"m1","amount":500,"imp_uid":"imp_1"}"#
      #expect(try await mina.call(.POST, "/_dev/payments", payment).status == 200)
      try await world.snapshot("paid")
      let validation = #"{"imp_uid":"imp_1","merchant_uid":"m1"}"#
      for _ in 0..<2 {
        try await world.restore("paid")
        #expect(try await signIn(token) == 200)
        #expect(try await mina.call(.POST, "store/pay/validation", validation).status == 200)
        #expect(try await mina.call(.POST, "store/pay/validation", validation).status == 400)
      }
      try await world.reset()
      #expect(try await signIn(token) == 400)
    }
  }

  @Test("a reset does not wait for sleeping clients")
  func sleepers() async throws {
    try await Self.run { world, _, _ in
      // On a busy machine a reset may take long for another reason, but not each time.
      for _ in 0..<20 {
        // It never answers a close frame.
        let sleeper = try await RawWebSocket.open(world.port, "/socket.io/?EIO=4&transport=websocket")
        _ = await sleeper.text()
        let began = ContinuousClock.now
        try await world.reset()
        // The second one waits until what was there before is removed.
        try await world.reset()
        sleeper.wire.abort()
        if ContinuousClock.now - began < .seconds(4) { return }
      }
      Issue.record("each reset took as long as a client has for its close frame")
    }
  }
}
