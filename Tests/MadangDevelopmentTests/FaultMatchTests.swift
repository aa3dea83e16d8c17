import Foundation
import MadangAPI
import MadangDevelopment
import NIOHTTP1
import SocketIOSupport
import Support
import Testing

@Suite("What rules of faults match", .timeLimit(.minutes(5)))
struct FaultMatchTests {
  private func add(_ rule: String, to scene: FaultScene) async throws -> Int {
    let answer = try await scene.world.call(.POST, "/_dev/faults", key: nil, .raw(rule, type: "application/json"))
    try #require(answer.status == 200, "\(String(decoding: answer.body, as: UTF8.self))")
    return try #require(try answer.json["id"]?.int)
  }

  @Test("a rule matches requests by their headers, in any case and with any text for a star")
  func headers() async throws {
    try await FaultScene.run { (scene) async throws in
      let key = "\(DevelopmentKey.october2024.prefix(5))*"
      let id = try await add(
        #"{"match":{"header":{"content-TYPE":"application/*","SesacKey":"\#(key)"}},"effect":{"kind":"status","status":503}}"#,
        to: scene)
      #expect(try await scene.post("lost").status == 503)
      #expect(try await scene.call(.GET, "users/me").status == 200)
      #expect(scene.applied(id) == 1)
      scene.kit.faults.removeAll()
      _ = try await add(
        #"{"match":{"header":{"SesacKey":"other"}},"effect":{"kind":"status","status":503}}"#, to: scene)
      #expect(try await scene.post("heard").status == 200)
    }
  }

  @Test("a rule matches requests by fields of their JSON, and the server reads the same body")
  func bodies() async throws {
    try await FaultScene.run { (scene) async throws in
      _ = try await add(
        #"{"match":{"body":{"content":"lost"}},"effect":{"kind":"status","status":503}}"#, to: scene)
      #expect(try await scene.post("lost").status == 503)
      #expect(try await scene.post("heard").status == 200)
      #expect(try await scene.call(.GET, "users/me").status == 200)
      // Longer bodies are not looked into.
      let long = String(repeating: " ", count: 65_536) + #"{"content":"lost"}"#
      #expect(try await scene.call(.POST, "\(scene.room)/chats", json: long).status == 200)
      #expect(try await scene.contents().sorted() == ["heard", "lost"])
    }
  }

  @Test(
    "a match that cannot be is refused with its field",
    arguments: [
      (#""header":{}"#, "match.header: 1 to 16 headers"), (#""header":{"a b":"x"}"#, "is not the name of a header"),
      (#""header":{"A":1}"#, "match.header.A: must be text"), (#""body":[]"#, "match.body: an object"),
      (#""body":{"a":1},"event":"x""#, "match.event: selects packets"),
    ])
  func mistakes(_ match: String, _ words: String) async throws {
    try await FaultScene.run { (scene) async throws in
      let rule = #"{"match":{\#(match)},"effect":{"kind":"reset"}}"#
      let answer = try await scene.world.call(.POST, "/_dev/faults", key: nil, .raw(rule, type: "application/json"))
      let text = String(decoding: answer.body, as: UTF8.self)
      #expect(answer.status == 400 && text.contains(words), "\(text)")
    }
  }

  @Test(
    "a rule for an account applies to the first packet of its sockets, before the namespace admits it",
    arguments: Carrier.allCases)
  func firstPacket(_ carrier: Carrier) async throws {
    try await FaultScene.run { (scene) async throws in
      let other = try await scene.world.signUp("Other")
      try await scene.mina.invite(other, to: scene.workspace)
      let id = try await add(
        #"{"match":{"account":"mina","packet":"connect","direction":"fromClient"},"effect":{"kind":"refuseNamespace","message":"not you"}}"#,
        to: scene)
      let mina = try await EngineClient(port: scene.port, carrier)
      let refused = try await mina.join(scene.namespace, auth: scene.auth)
      #expect(refused?.contains("not you") == true, "\(refused ?? "nothing")")
      let second = try await EngineClient(port: scene.port, carrier)
      let auth = #"{"SesacKey":"\#(other.edition.developmentKey)","token":"\#(other.token)"}"#
      let answer = try await second.join(scene.namespace, auth: auth)
      #expect(answer?.hasPrefix("40\(scene.namespace),{\"sid\":") == true, "\(answer ?? "nothing")")
      #expect(scene.applied(id) == 1)
      await mina.abort()
      await second.abort()
    }
  }

  @Test("packets that follow a held one keep their order")
  func order() async throws {
    try await FaultScene.run { (scene) async throws in
      _ = try await add(#"{"match":{"account":"mina","event":"never"},"effect":{"kind":"drop"}}"#, to: scene)
      let client = try await EngineClient(port: scene.port, .webSocket)
      try await client.send("40\(scene.namespace),\(scene.auth)")
      try await client.send("41\(scene.namespace),")
      _ = try await scene.journal("packet=disconnect&direction=fromClient&wait=1m")
      let packets = try await scene.entries("kind=packet&direction=fromClient").compactMap(\.packet)
      #expect(packets.filter { $0 != "pong" } == ["connect", "disconnect"])
      await client.abort()
    }
  }

  @Test("a slow upload is taken at its speed, and its client sees the same progress")
  func slowUpload() async throws {
    try await FaultScene.run { (scene) async throws in
      _ = try await add(#"{"effect":{"kind":"slowUpload","bytesPerSecond":20000}}"#, to: scene)
      let begun = ContinuousClock.now
      let body = String(repeating: " ", count: 10_000) + #"{"content":"slow"}"#
      #expect(try await scene.call(.POST, "\(scene.room)/chats", json: body).status == 200)
      let took = ContinuousClock.now - begun
      #expect(took >= .milliseconds(450) && took < .seconds(50), "\(took)")
      #expect(try await scene.contents() == ["slow"])
    }
  }

  @Test("an upload is cut after its bytes: its client gets no answer, nothing is stored, and the next one goes through")
  func cutUpload() async throws {
    try await FaultScene.run { (scene) async throws in
      _ = try await add(#"{"match":{"times":2},"effect":{"kind":"cutUpload","bytes":5000}}"#, to: scene)
      let long = String(repeating: " ", count: 10_000) + #"{"content":"long"}"#
      for body in [long, #"{"content":"short"}"#] {
        let cut = try await scene.call(.POST, "\(scene.room)/chats", json: body)
        #expect(cut.bytes == [] && cut.wasReset)
      }
      #expect(try await scene.post("next").status == 200)
      #expect(try await scene.contents() == ["next"])
      let cut = try await scene.entries("fault=cutUpload&wait=60s&count=2")
      #expect(cut.map(\.status) == [nil, nil] && cut.map(\.operation) == ["postToChannel", "postToChannel"])
      #expect(cut.map(\.request?.size) == [5000, 18])
    }
  }

  @Test("a slow upload whose connection ends is recorded at once, not when its bytes would have been read")
  func slowUploadThatEnds() async throws {
    try await FaultScene.run { (scene) async throws in
      let id = try await add(#"{"effect":{"kind":"slowUpload","bytesPerSecond":10}}"#, to: scene)
      // Few enough for every kernel's buffers: sending ends at once, and reading would take ten minutes.
      let body = String(repeating: " ", count: 6000) + #"{"content":"slow"}"#
      let upload = try await scene.sent(.POST, "\(scene.room)/chats", json: body)
      await until { scene.applied(id) == 1 }
      await scene.restart()
      #expect(await upload.readToEnd().isEmpty)
      let entries = try await scene.entries("operation=postToChannel&wait=1m")
      #expect(entries.map(\.status) == [nil])
    }
  }
}
