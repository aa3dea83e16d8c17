import Foundation
import MadangAPI
import MadangClient
import MadangTesting
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("MadangTesting: what the calls over HTTP offer", .madang(seed: .courtyard, number: 3))
struct MadangLibraryTests {
  private let world = Madang.world

  /// Runs `body` as Mina's client.
  private func withMina(_ body: (MadangClient) async throws -> Void) async throws {
    let mina = try await world.signIn("mina@example.com")
    do { try await body(mina) } catch {
      try? await mina.close()
      throw error
    }
    try await mina.close()
  }

  @Test("coverage tells what was touched and what was not, and adds up")
  func coverage() async throws {
    #expect(world.coverage.percent == 0)
    try await withMina { mina in _ = try await mina.workspaces() }
    let operations = try #require(
      world.coverage.parts.first { $0.edition == .october2024 && $0.section == .operations })
    #expect(operations.touched == 2 && operations.counts == ["signIn": 1, "workspaces": 1])
    #expect(operations.missing.contains("createWorkspace") && operations.total > 30)

    let other = try await MadangWorld.with(.empty) { other in
      let client = other.makeClient()
      try await client.signUp(email: "a@example.com", password: "Passw0rd!", nickname: "A")
      _ = try await client.workspaces()
      try await client.close()
      return other.coverage
    }
    let sum = world.coverage.adding(other).only(editions: [.october2024], sections: [.operations])
    #expect(sum.parts.count == 1)
    #expect(sum.parts.first?.counts == ["signIn": 1, "signUp": 1, "workspaces": 2])
    #expect(sum.text.contains("2024-10, operations never touched:\n") && sum.html.contains("createWorkspace"))
    #expect(String(decoding: try sum.json(), as: UTF8.self).contains(#""signUp":1"#))
    world.clearCoverage()
    #expect(world.coverage.percent == 0)
  }

  @Test("a fault answers with a body and a content type of its own; rules tell what they have done")
  func faults() async throws {
    try await withMina { mina in
      let id = try await world.faults.add(
        .status(503, body: "<h1>Down</h1>", contentType: "text/html", retryAfter: 3), operation: "workspaces", nth: 1)
      await #expect(throws: (any Error).self) { try await mina.workspaces() }
      _ = try await mina.workspaces()
      let rule = try #require(world.faults.rules.first)
      #expect(world.faults.rules.count == 1 && rule.id == id && rule.kind == "status")
      #expect(rule.matched == 2 && rule.applied == 1)
      let entry = try #require(try await world.journal.entries(.requests.fault("status")).first)
      #expect(entry.status == 503 && entry.answer == "<h1>Down</h1>" && entry.answerHeader("retry-after") == "3")
      #expect(entry.answerHeader("content-type") == "text/html")
    }
  }

  @Test("all connections end when the server is restarted, and clients come back")
  func restart() async throws {
    try await withMina { mina in
      _ = try await mina.workspaces()
      await world.faults.restart(downFor: .zero)
      // A connection of the client may find out only now that it has ended.
      _ = try? await mina.workspaces()
      #expect(try await mina.workspaces().count == 2)
    }
  }

  @Test("entries of the journal can be filtered by all that calls over HTTP filter them by")
  func filters() async throws {
    try await withMina { mina in
      let chat = try await world.person("joon").post("hi", in: "Weekend/ios")
      let weekend = try #require(try await mina.workspaces().first { $0.name == "Weekend" }).workspaceID
      let room = RoomAddress.channel(id: chat.roomID, workspace: weekend)
      var events = mina.watch([room], after: [room: chat.createdAt]).makeAsyncIterator()
      #expect(try await events.next() == .live)
      let posted = try await mina.post("hello", to: room)
      #expect(try await events.next() == .chat(posted))

      let journal = world.journal
      let event = try #require(
        try await journal.wait(
          for: .event("channel", in: room.namespace.name).fromClient(false), within: "60s"
        ).first)
      #expect(event.transport == "websocket" && event.payload?.contains("hello") == true)
      let session = try #require(event.session)
      func count(_ filter: MadangFilter) async throws -> Int { try await journal.entries(filter).count }
      #expect(try await count(.packets.session(session).transport("websocket").namespace(room.namespace.name)) >= 2)
      #expect(try await count(.packets.session("none")) == 0)
      #expect(try await count(.requests.method("POST").path("*/chats").edition(.october2024)) == 1)
      #expect(try await count(.requests.edition(.january2024)) == 0)
      #expect(try await count(.operation("postToChannel").account("mina")) == 1)
      #expect(try await count(.requests.status(like: "2*")) == count(.requests))
      #expect(try await count(.operation("postToChannel").answer(#"{"content":"hello"}"#)) == 1)
      #expect(try await count(.operation("postToChannel").answer(#"{"content":"hi"}"#)) == 0)
      let post = try #require(try await journal.entries(.operation("postToChannel")).first)
      #expect(
        post.header("seSACkey") == "***" && post.answerHeader("content-type")?.hasPrefix("application/json") == true)

      let lines = String(decoding: try await journal.lines(.operation("postToChannel")), as: UTF8.self)
      #expect(lines.hasSuffix("}\n") && lines.split(separator: "\n").count == 1)
      let archive = String(decoding: try await journal.har(.operation("postToChannel")), as: UTF8.self)
      #expect(archive.contains(#""url":"\#(world.url)/v1/workspaces/"#))
      try await world.expect(
        [.once(.operation("postToChannel"))], only: true, among: .requests.method("POST").path("*/chats"))
    }
  }

  @Test("entries tell parts of multipart bodies, what is only a beginning, and long-polling")
  func parts() async throws {
    let picture = FileManager.default.temporaryDirectory.appending(path: "madang-\(UUID().uuidString).png")
    defer { try? FileManager.default.removeItem(at: picture) }
    let bytes = try #require(
      Data(
        base64Encoded:
          "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="))
    try bytes.write(to: picture)
    try await withMina { mina in
      let weekend = try #require(try await mina.workspaces().first { $0.name == "Weekend" }).workspaceID
      let ios = try #require(try await mina.channels(in: weekend).first { $0.name == "ios" }).channelID
      let room = RoomAddress.channel(id: ios, workspace: weekend)
      var events = mina.watch([room]).makeAsyncIterator()
      #expect(try await events.next() == .live)
      let journal = world.journal
      _ = try await mina.post("Look", files: [try Upload(file: picture)], to: room)
      let sent = try #require(try await journal.entries(.operation("postToChannel")).first)
      let parts = sent.parts
      #expect(parts.map(\.name) == ["content", "files"] && parts.map(\.size) == [4, bytes.count], "\(parts)")
      #expect(
        parts.map(\.fileName) == [nil, picture.lastPathComponent] && parts.map(\.text) == ["Look", nil], "\(parts)")
      #expect(sent.body == nil && !sent.isBodyTruncated && !sent.isAnswerTruncated && !sent.isLongPolling)

      _ = try await mina.post(String(repeating: "가", count: 8000), to: room)
      let long = try #require(try await journal.entries(.operation("postToChannel")).last)
      #expect(long.isBodyTruncated && long.isAnswerTruncated && long.parts.isEmpty)
      #expect(long.elapsed > sent.elapsed)
      let told = try await journal.wait(for: .event("channel").fromClient(false), count: 2, within: "60s")
      #expect(told.map(\.isPayloadTruncated) == [false, true] && told.map(\.ack) == [nil, nil])
    }
    let polling = try #require(URL(string: "\(world.url)/socket.io/?EIO=4&transport=polling"))
    _ = try await URLSession.shared.data(from: polling)
    let long = try await world.journal.wait(for: .requests.path("/socket.io/*").method("GET"), within: "60s")
    #expect(long.last?.isLongPolling == true)
  }

  @Test("people are listed from a number on; a reset says how long calls under way may go on")
  func pages() async throws {
    let everybody = try await world.people()
    #expect(try await world.people(after: everybody[2].number).map(\.email) == everybody.dropFirst(3).map(\.email))
    #expect(try await world.people(after: everybody[4].number).isEmpty)
    try await world.reset(within: .zero)
    #expect(try await world.people() == everybody)
  }

  @Test("the journal keeps as much as it is told to")
  func limits() async throws {
    world.journal.recordsPackets = false
    #expect(!world.journal.recordsPackets)
    world.journal.keep(entries: 2, bytes: 0)
    try await withMina { mina in
      for _ in 0..<4 { _ = try await mina.workspaces() }
      #expect(try await world.journal.entries().map(\.operation) == ["workspaces", "workspaces"])
    }
  }

  @Test("snapshots are listed and forgotten; the clock says how fast it runs")
  func snapshots() async throws {
    try await world.snapshot("b")
    try await world.snapshot("a")
    #expect(world.snapshots == ["a", "b"])
    try world.removeSnapshot("a")
    #expect(world.snapshots == ["b"])
    #expect(throws: MadangTestingError.self) { try world.removeSnapshot("a") }
    #expect(world.clock.rate == 0)
    world.clock.run(at: 60)
    #expect(world.clock.rate == 60)
  }

  @Test("what a client does wrong is found, with the rule that it breaks")
  func review() async throws {
    #expect(try await world.review().isEmpty)
    try await withMina { mina in for _ in 0..<5 { _ = try await mina.workspaces() } }
    let found = try #require(try await world.review(of: "mina").first)
    #expect(found.habit == "polling" && found.entries.count == 5 && found.account == "mina@example.com")
    #expect(found.cure.contains("not by a timer") && found.rule.contains("sockets deliver chats only"))
    #expect("\(found)".hasPrefix("polling: GET /v1/workspaces 5 times") && "\(found)".contains(found.rule))
    #expect(try await world.review(of: "joon").isEmpty)
    #expect(try await world.review(after: found.entries[0]).isEmpty)
    await #expect(throws: MadangTestingError.self) { try await world.review(of: "nobody") }
  }

  @Test("payments and people of Apple and Kakao are made up")
  func standIns() async throws {
    let paid = try world.pay(100, for: "order 1")
    #expect(paid.hasPrefix("imp_"))
    let recorded = try #require(try await world.journal.entries(.payment("recorded")).first)
    #expect(recorded.payment == paid && recorded.merchant == "order 1" && recorded.amount == 100)
    try await withMina { mina in
      let coins = try await mina.me().sesacCoin
      _ = try await mina.creditPayment(paid, merchantID: "order 1")
      #expect(try await mina.me().sesacCoin > coins)
    }
    #expect(throws: MadangTestingError.self) { try world.pay(-1, for: "order 2") }

    let client = world.makeClient()
    let token = try world.socialToken(from: .kakao, subject: "42", email: "new@example.com", nickname: "New")
    #expect(try await client.signInWithKakao(oauthToken: token).nickname == "New")
    try await client.close()
    let error = #expect(throws: MadangTestingError.self) { try world.socialToken(from: .apple, subject: "") }
    #expect(error?.description == "subject: must not be empty")
  }
}
