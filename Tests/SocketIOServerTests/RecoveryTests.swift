import SocketIOProtocol
import SocketIOServer
import SocketIOSupport
import Testing

@Suite("Connection state recovery", .timeLimit(.minutes(5)))
struct RecoveryTests {
  private struct Joined {
    var sid = ""
    var pid: String?

    init(_ answer: String) {
      let json = Array(answer.drop { $0 != "{" }.utf8)
      for member in JSONScanner.members(ofObject: json) ?? [] {
        if member.key == "sid" { sid = JSONText.string(json[member.value]) ?? "" }
        if member.key == "pid" { pid = JSONText.string(json[member.value]) }
      }
    }
  }

  private static func configuration(
    _ change: (inout SocketIOServer.Recovery) -> Void = { _ in }
  ) -> SocketIOServer.Configuration {
    .changed {
      var recovery = SocketIOServer.Recovery()
      recovery.offsets = .always
      change(&recovery)
      $0.recovery = recovery
    }
  }

  private static func join(_ client: EngineClient, _ namespace: String = "/", _ auth: String = "") async throws
    -> Joined
  {
    Joined(try #require(try await client.join(namespace, auth: auth)))
  }

  /// The arguments of an event's text.
  private static func arguments(_ event: String?) -> [String] {
    let json = Array((event ?? "").drop { $0 != "[" }.utf8)
    return (JSONScanner.elements(ofArray: json) ?? []).map { String(decoding: json[$0], as: UTF8.self) }
  }

  private static func emit(_ server: TestServer, _ event: String, rooms: Set<String> = [], except: Set<String> = []) {
    server.server.emit(
      event, SocketArguments([Array("1".utf8)]), to: .init(namespace: "/", rooms: rooms, except: except))
  }

  @Test("a lost client returns to its socket, its rooms, and missed events", arguments: Carrier.allCases)
  func returns(carrier: Carrier) async throws {
    try await TestServer.with(Self.configuration()) { (server) async throws in
      let lost = try await EngineClient(server, carrier)
      let first = try await Self.join(lost)
      let pid = try #require(first.pid)
      try await lost.send(#"420["join","red"]"#)
      #expect(try await lost.text() == "430[]")
      Self.emit(server, "seen")
      let seen = Self.arguments(try await lost.text())
      #expect(seen.dropLast() == [#""seen""#, "1"])
      try await Self.leave(lost, server)
      Self.emit(server, "all")
      Self.emit(server, "red", rooms: ["red", "blue"])
      Self.emit(server, "blue", rooms: ["blue"])
      Self.emit(server, "not red", except: ["red"])
      Self.emit(server, "mine", rooms: [first.sid])

      let client = try await EngineClient(server, carrier)
      let second = try await Self.join(client, "/", #"{"pid":"\#(pid)","offset":\#(seen[2])}"#)
      #expect(second.sid == first.sid)
      #expect(second.pid == first.pid)
      for name in ["all", "red", "mine"] {
        #expect(Self.arguments(try await client.text()).first == "\"\(name)\"")
      }
      Self.emit(server, "later", rooms: ["red"])
      #expect(Self.arguments(try await client.text()).first == #""later""#)
    }
  }

  /// Drops the connection, and waits until the server has noticed.
  private static func leave(_ client: EngineClient, _ server: TestServer) async throws {
    if await client.webSocket == nil { try await client.send("1") } else { await client.abort() }
    await server.journal.wait(for: "left /: transport close")
  }

  @Test("a client returns before the server noticed its lost connection, and each event arrives once")
  func ghost() async throws {
    try await TestServer.with(Self.configuration()) { (server) async throws in
      let lost = try await EngineClient(server, .webSocket)
      let first = try await Self.join(lost)
      Self.emit(server, "a")
      let a = Self.arguments(try await lost.text())
      Self.emit(server, "b")
      let client = try await EngineClient(server, .webSocket)
      let second = try await Self.join(client, "/", #"{"pid":"\#(first.pid ?? "")","offset":\#(a[2])}"#)
      #expect(second.sid == first.sid)
      Self.emit(server, "c")
      #expect(Self.arguments(try await client.text()).first == #""b""#)
      #expect(Self.arguments(try await client.text()).first == #""c""#)
      #expect(server.server.stats.sockets == 1)
    }
  }

  @Test("an unknown private id, or an offset that was never assigned, opens a new socket")
  func unknown() async throws {
    try await TestServer.with(Self.configuration()) { (server) async throws in
      let lost = try await EngineClient(server, .webSocket)
      let first = try await Self.join(lost)
      try await Self.leave(lost, server)
      for auth in [#"{"pid":"nobody","offset":"1"}"#, #"{"pid":"\#(first.pid ?? "")","offset":"zzzz"}"#] {
        let client = try await EngineClient(server, .webSocket)
        let second = try await Self.join(client, "/", auth)
        #expect(second.sid != first.sid)
        #expect(second.pid != nil && second.pid != first.pid)
      }
    }
  }

  @Test(
    "a client that left by itself or was removed does not return", arguments: ["41", #"42["bye"]"#, #"42["bye-all"]"#])
  func removed(packet: String) async throws {
    try await TestServer.with(Self.configuration()) { (server) async throws in
      let client = try await EngineClient(server, .webSocket)
      let first = try await Self.join(client)
      try await client.send(packet)
      let reason = packet == "41" ? "client namespace disconnect" : "server namespace disconnect"
      await server.journal.wait(for: "left /: \(reason)")
      await client.abort()
      let other = try await EngineClient(server, .webSocket)
      #expect(try await Self.join(other, "/", #"{"pid":"\#(first.pid ?? "")"}"#).sid != first.sid)
    }
  }

  @Test("after the allowed time the socket is removed")
  func expiry() async throws {
    let configuration = Self.configuration { $0.maxDisconnectionDuration = .milliseconds(1) }
    try await TestServer.with(configuration) { (server) async throws in
      let lost = try await EngineClient(server, .webSocket)
      let first = try await Self.join(lost)
      try await Self.leave(lost, server)
      while server.server.hasSockets(in: "/") { try await Task.sleep(for: .milliseconds(10)) }
      let client = try await EngineClient(server, .webSocket)
      #expect(try await Self.join(client, "/", #"{"pid":"\#(first.pid ?? "")"}"#).sid != first.sid)
    }
  }

  @Test(
    "a returning client skips admission and keeps its data, or is asked again if so set", arguments: [true, false])
  func admission(skips: Bool) async throws {
    try await TestServer.with(Self.configuration { $0.skipAdmission = skips }) { (server) async throws in
      let lost = try await EngineClient(server, .webSocket)
      let first = try await Self.join(lost, "/guarded", #"{"token":"good"}"#)
      await lost.abort()
      await server.journal.wait(for: "left /guarded: transport close")
      let client = try await EngineClient(server, .webSocket)
      let answer = try await client.join("/guarded", auth: #"{"pid":"\#(first.pid ?? "")"}"#)
      guard skips else {
        #expect(answer == #"44/guarded,{"message":"not allowed","data":{"code":1}}"#)
        return
      }
      #expect(Joined(answer ?? "").sid == first.sid)
      try await client.send(#"42/guarded,1["data"]"#)
      #expect(try await client.text() == #"43/guarded,1["good"]"#)
    }
  }

  @Test("only clients that ask for it see private ids and offsets, unless offsets are always on")
  func capableClients() async throws {
    try await TestServer.with(Self.configuration { $0.offsets = .capableClients }) { (server) async throws in
      let plain = try await EngineClient(server, .webSocket)
      #expect(try await Self.join(plain).pid == nil)
      let asking = try await server.webSocket("EIO=4&transport=websocket&recovery=1")
      _ = await asking.text()
      try await asking.send("40")
      #expect(Joined(await asking.text() ?? "").pid != nil)
      Self.emit(server, "e")
      #expect(try await plain.text() == #"42["e",1]"#)
      #expect(Self.arguments(await asking.text()).count == 3)
    }
  }

  @Test("an Engine.IO 3 client never sees offsets")
  func oldClients() async throws {
    try await TestServer.with(Self.configuration()) { (server) async throws in
      let client = try await server.webSocket("EIO=3&transport=websocket")
      _ = await client.text()
      #expect(await client.text() == "40")
      Self.emit(server, "e")
      #expect(await client.text() == #"42["e",1]"#)
    }
  }

  @Test("events that expect an acknowledgement carry no offset, volatile ones that of the previous event")
  func offsets() async throws {
    try await TestServer.with(Self.configuration()) { (server) async throws in
      let client = try await EngineClient(server, .webSocket)
      _ = try await Self.join(client)
      Self.emit(server, "e")
      let kept = Self.arguments(try await client.text())
      server.server.emit(
        "v", SocketArguments([Array("1".utf8)]), to: .init(namespace: "/", isVolatile: true))
      #expect(Self.arguments(try await client.text()) == [#""v""#, "1", kept[2]])
      try await client.send(#"42["ask",5]"#)
      #expect(try await client.text() == #"420["question",5]"#)
    }
  }
}
