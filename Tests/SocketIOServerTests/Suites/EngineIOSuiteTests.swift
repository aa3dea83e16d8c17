import Foundation
import SocketIOProtocol
import SocketIOSupport
import Testing

/// The requirements of the official engine.io-protocol suites for a server, written from the protocol's text, for both revisions.
@Suite("Engine.IO as in its official suites", .timeLimit(.minutes(5)))
struct EngineIOSuiteTests {
  static let revisions: [EngineRevision] = [.v3, .v4]

  private struct Open: Decodable, Equatable {
    var sid: String
    var upgrades: [String]
    var pingInterval: Int
    var pingTimeout: Int
    var maxPayload: Int
  }

  private static let keys: Set<String> = ["sid", "upgrades", "pingInterval", "pingTimeout", "maxPayload"]

  private func check(_ packet: EnginePacket, upgrades: [String]) throws {
    #expect(packet.kind == .open)
    let open = try JSONDecoder().decode(Open.self, from: Data(packet.data))
    #expect(open.sid.utf8.count == 20 && open.upgrades == upgrades)
    #expect(open.pingInterval == 20_000 && open.pingTimeout == 20_000 && open.maxPayload == 1_000_000)
    let members = try #require(JSONScanner.members(ofObject: packet.data))
    #expect(Set(members.map(\.key)) == Self.keys && members.count == Self.keys.count)
  }

  @Test("handshake, polling: a session opens, with all keys of the open packet and no other", arguments: revisions)
  func opensPolling(revision: EngineRevision) async throws {
    try await SuiteServer.with(mode: "engine", revision: revision) { server in
      let answer = try await server.get("&transport=polling")
      #expect(answer.status == 200)
      let packets = try EnginePayload.decode(answer.body, revision)
      #expect(packets.count == 1)
      try check(packets[0], upgrades: ["websocket"])
    }
  }

  @Test("handshake, WebSocket: a session opens, with no upgrades to offer", arguments: revisions)
  func opensWebSocket(revision: EngineRevision) async throws {
    try await SuiteServer.with(mode: "engine", revision: revision) { server in
      let text = try #require(await server.webSocket().text())
      try check(try EnginePacket(text: Array(text.utf8)[...], revision), upgrades: [])
    }
  }

  @Test("handshake: an absent or unknown EIO fails while Engine.IO 3 is not served", arguments: ["", "EIO=abc&"])
  func invalidRevision(query: String) async throws {
    try await SuiteServer.with(mode: "engine") { server in
      let answer = try await server.request("GET", "/engine.io/?\(query)transport=polling")
      #expect(answer.status == 400 && answer.text.hasPrefix(#"{"code":5,"#))
      let webSocket = try await RawWebSocket.open(server.port, "/engine.io/?\(query)transport=websocket")
      #expect(await webSocket.isClosed())
    }
  }

  @Test("handshake: an absent or unknown transport fails", arguments: revisions, ["", "&transport=abc"])
  func invalidTransport(revision: EngineRevision, query: String) async throws {
    try await SuiteServer.with(mode: "engine", revision: revision) { server in
      let answer = try await server.get(query)
      #expect(answer.status == 400)
      await #expect(throws: RawWebSocket.Refused.self) { try await server.webSocket(query) }
    }
  }

  @Test("handshake, polling: any method but GET fails", arguments: revisions, ["POST", "PUT"])
  func invalidMethod(revision: EngineRevision, method: String) async throws {
    try await SuiteServer.with(mode: "engine", revision: revision) { server in
      let answer = try await server.request(method, server.base + "&transport=polling", [], [])
      #expect(answer.status == 400)
    }
  }

  @Test("message, polling: a packet comes back", arguments: revisions)
  func polledMessage(revision: EngineRevision) async throws {
    try await SuiteServer.with(mode: "engine", revision: revision) { server in
      let session = try await server.polling()
      let pushed = try await server.post(session, server.payload("4hello"))
      #expect(pushed.status == 200 && pushed.text == "ok")
      let polled = try await server.get(session)
      #expect(polled.status == 200 && polled.text == server.payload("4hello"))
    }
  }

  @Test("message, polling: several packets of one payload come back in order", arguments: revisions)
  func polledMessages(revision: EngineRevision) async throws {
    try await SuiteServer.with(mode: "engine", revision: revision) { server in
      let session = try await server.polling()
      let payload = server.payload("4test1", "4test2", "4test3€😀")
      #expect(try await server.post(session, payload).text == "ok")
      #expect(try await server.get(session).text == payload)
    }
  }

  @Test("message, polling: text and binary arrive together, binary as base64", arguments: revisions)
  func polledBinary(revision: EngineRevision) async throws {
    try await SuiteServer.with(mode: "engine", revision: revision) { server in
      var session = try await server.polling()
      // An Engine.IO 3 client must ask for text only.
      if revision == .v3 {
        let opening = try EnginePayload.decode(try await server.get("&transport=polling&b64=1").body, .v3)
        session = "&transport=polling&b64=1&sid=\(try EngineOpen(data: opening[0].data).sid)"
      }
      let payload = revision == .v4 ? "4hello\u{1e}bAQIDBA==" : "6:4hello10:b4AQIDBA=="
      #expect(try await server.post(session, payload).text == "ok")
      #expect(try await server.get(session).text == payload)
    }
  }

  @Test("message, polling, Engine.IO 3: with a binary packet both directions use the binary form")
  func polledBinaryForm() async throws {
    try await SuiteServer.with(mode: "engine", revision: .v3) { server in
      let session = try await server.polling()
      let packets = [EnginePacket(.message, Array("hello€".utf8)), EnginePacket(binary: [1, 2, 3, 4])]
      let payload = EnginePayload.encodeBinary(packets)
      let pushed = try await server.request(
        "POST", server.base + session, [("Content-Type", "application/octet-stream")], payload)
      #expect(pushed.text == "ok")
      let polled = try await server.get(session)
      #expect(polled.headers["content-type"] == "application/octet-stream" && polled.body == payload)
    }
  }

  @Test("message, polling: an invalid packet closes the session", arguments: revisions)
  func invalidPayload(revision: EngineRevision) async throws {
    try await SuiteServer.with(mode: "engine", revision: revision) { server in
      let session = try await server.polling()
      _ = try await server.post(session, "abc")
      #expect(try await server.get(session).status == 400)
    }
  }

  @Test("message, polling: a second GET closes the session", arguments: revisions)
  func duplicatePoll(revision: EngineRevision) async throws {
    try await SuiteServer.with(mode: "engine", revision: revision) { server in
      let session = try await server.polling()
      async let first = server.get(session)
      async let second = server.get(session)
      let answers = [try await first, try await second].sorted { $0.status < $1.status }
      #expect(answers.map(\.status) == [200, 400])
      #expect(answers[0].text == server.payload("1"))
      #expect(try await server.get(session).status == 400)
    }
  }

  @Test("message, WebSocket: text and binary come back as they were sent", arguments: revisions)
  func socketMessages(revision: EngineRevision) async throws {
    try await SuiteServer.with(mode: "engine", revision: revision) { server in
      let webSocket = try await server.opened()
      try await webSocket.send("4hello€")
      #expect(await webSocket.text() == "4hello€")
      let frame: [UInt8] = revision == .v4 ? [1, 2, 3, 4] : [4, 1, 2, 3, 4]
      try await webSocket.send(binary: frame)
      #expect(await webSocket.next() == .binary(frame))
    }
  }

  @Test("message, WebSocket: an invalid packet closes the session", arguments: revisions)
  func invalidFrame(revision: EngineRevision) async throws {
    try await SuiteServer.with(mode: "engine", revision: revision) { server in
      let webSocket = try await server.opened()
      try await webSocket.send("abc")
      #expect(await webSocket.isClosed())
    }
  }

  @Test("heartbeat, polling: Engine.IO 4 servers ping; Engine.IO 3 clients do, and are answered")
  func polledHeartbeat() async throws {
    try await SuiteServer.with(mode: "engine", pingInterval: 300) { server in
      let session = try await server.polling()
      for _ in 0..<3 {
        #expect(try await server.get(session).text == "2")
        #expect(try await server.post(session, "3").text == "ok")
      }
    }
    try await SuiteServer.with(mode: "engine", revision: .v3) { server in
      let session = try await server.polling()
      for _ in 0..<3 {
        #expect(try await server.post(session, "1:2").text == "ok")
        #expect(try await server.get(session).text == "1:3")
      }
    }
  }

  @Test("heartbeat, WebSocket: Engine.IO 4 servers ping; Engine.IO 3 clients do, and are answered")
  func socketHeartbeat() async throws {
    try await SuiteServer.with(mode: "engine", pingInterval: 300) { server in
      let webSocket = try await server.opened()
      for _ in 0..<3 {
        #expect(await webSocket.text() == "2")
        try await webSocket.send("3")
      }
    }
    try await SuiteServer.with(mode: "engine", revision: .v3) { server in
      let webSocket = try await server.opened()
      for _ in 0..<3 {
        try await webSocket.send("2")
        #expect(await webSocket.text() == "3")
      }
    }
  }

  @Test("heartbeat: a ping or pong of the wrong side closes", arguments: revisions)
  func wrongSide(revision: EngineRevision) async throws {
    try await SuiteServer.with(mode: "engine", revision: revision) { server in
      let webSocket = try await server.opened()
      try await webSocket.send(revision == .v4 ? "2" : "3")
      #expect(await webSocket.isClosed())
      let session = try await server.polling()
      _ = try await server.post(session, server.payload(revision == .v4 ? "2" : "3"))
      #expect(try await server.get(session).status == 400)
    }
  }

  @Test("heartbeat: a silent client's session is closed, over both transports", arguments: revisions)
  func pingTimeout(revision: EngineRevision) async throws {
    try await SuiteServer.with(mode: "engine", revision: revision, pingInterval: 300, pingTimeout: 200) { server in
      let webSocket = try await server.opened()
      let session = try await server.polling()
      #expect(await webSocket.isClosed())
      // The polling session is as old: its answers end with a refusal, even if packets wait.
      var answer = try await server.get(session)
      while answer.status == 200 { answer = try await server.get(session) }
      #expect(answer.status == 400)
    }
  }

  @Test("close, polling: a close packet answers the waiting GET with a noop and ends the session", arguments: revisions)
  func polledClose(revision: EngineRevision) async throws {
    try await SuiteServer.with(mode: "engine", revision: revision) { server in
      let session = try await server.polling()
      async let polled = server.get(session)
      #expect(try await server.post(session, server.payload("1")).status == 200)
      // The GET may also have arrived after the close packet.
      let answer = try await polled
      #expect(answer.status == 400 || answer.text == server.payload("6"))
      #expect(try await server.get(session).status == 400)
    }
  }

  @Test("close, WebSocket: a close packet ends the session", arguments: revisions)
  func socketClose(revision: EngineRevision) async throws {
    try await SuiteServer.with(mode: "engine", revision: revision) { server in
      let webSocket = try await server.opened()
      try await webSocket.send("1")
      #expect(await webSocket.isClosed())
    }
  }

  @Test("upgrade: the session continues over the WebSocket, in both directions", arguments: revisions)
  func upgrade(revision: EngineRevision) async throws {
    try await SuiteServer.with(mode: "engine", revision: revision) { server in
      let webSocket = try await server.upgraded(try await server.polling())
      try await webSocket.send("4hello")
      #expect(await webSocket.text() == "4hello")
    }
  }

  @Test("upgrade: afterwards a GET with the same sid is refused, and a late POST is accepted", arguments: revisions)
  func requestsAfterUpgrade(revision: EngineRevision) async throws {
    try await SuiteServer.with(mode: "engine", revision: revision) { server in
      let session = try await server.polling()
      let webSocket = try await server.upgraded(session)
      try await webSocket.send("4hello")
      #expect(await webSocket.text() == "4hello")
      #expect(try await server.get(session).status == 400)
      #expect(try await server.post(session, server.payload("4abc")).text == "ok")
      #expect(await webSocket.text() == "4abc")
      try await webSocket.send("4still")
      #expect(await webSocket.text() == "4still")
    }
  }

  @Test("upgrade: a second WebSocket with the same sid is closed, the first continues", arguments: revisions)
  func secondWebSocket(revision: EngineRevision) async throws {
    try await SuiteServer.with(mode: "engine", revision: revision) { server in
      let session = try await server.polling()
      let webSocket = try await server.upgraded(session)
      try await webSocket.send("4hello")
      #expect(await webSocket.text() == "4hello")
      let second = try await server.webSocket(session.replacing("polling", with: "websocket"))
      #expect(await second.isClosed())
      try await webSocket.send("4still")
      #expect(await webSocket.text() == "4still")
    }
  }

  @Test("upgrade: any packet except a probe closes the WebSocket, and polling continues", arguments: revisions)
  func invalidProbe(revision: EngineRevision) async throws {
    try await SuiteServer.with(mode: "engine", revision: revision) { server in
      let session = try await server.polling()
      let webSocket = try await server.webSocket(session.replacing("polling", with: "websocket"))
      try await webSocket.send("4hello")
      #expect(await webSocket.isClosed())
      #expect(try await server.post(session, server.payload("4abc")).text == "ok")
      #expect(try await server.get(session).text.hasSuffix("4abc"))
    }
  }
}
