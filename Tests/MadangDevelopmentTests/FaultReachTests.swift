import Foundation
import MadangAPI
import MadangDevelopment
import MadangServer
import NIOHTTP1
import SocketIOSupport
import Support
import Testing

@Suite("Accounts and worlds that faults apply to", .timeLimit(.minutes(5)))
struct FaultReachTests {
  @Test("a rule may name the account of its packets before that account signs up")
  func newAccount() async throws {
    try await FaultScene.run { (scene) async throws in
      let id = try await scene.kit.faults.add(
        FaultRule(
          FaultEffect(.drop),
          match: FaultMatch { ($0.account, $0.event, $0.direction) = ("Late@Example.com", "channel", "toClient") }))
      let late = try await scene.world.signUp("Late")
      try await scene.mina.invite(late, to: scene.workspace)
      let client = try await EngineClient(port: scene.port, .webSocket)
      _ = try await client.join(
        scene.namespace, auth: #"{"SesacKey":"\#(late.edition.developmentKey)","token":"\#(late.token)"}"#)
      _ = try await scene.post("lost")
      // The packet is sent, and dropped, after the call is answered.
      #expect(try await World.eventually { scene.applied(id) == 1 })
      scene.kit.faults.remove(id)
      let said = try await scene.said("heard")
      #expect(try await client.text() == said)
      await client.abort()
    }
  }

  @Test("a rule for packets of an account still applies after a reset")
  func reset() async throws {
    try await Scene.run { worlds in
      let world = try await worlds.make(try Scene.plan(.courtyard, number: 1))
      let id = try await world.kit.faults.add(
        FaultRule(FaultEffect(.drop), match: FaultMatch { ($0.account, $0.event) = ("mina@example.com", "channel") }))
      try await world.reset()
      let mina = try await Caller(url: world.url).signedIn("mina@example.com")
      let path = try await mina.chats(of: "ios")
      let client = try await EngineClient(port: world.port, .webSocket)
      _ = try await client.join(
        "/ws-channel-\(path.split(separator: "/")[3])", auth: #"{"token":"\#(mina.token ?? "")"}"#)
      _ = try await mina.call(.POST, path, #"{"content":"lost"}"#)
      // The packet is sent, and dropped, after the call is answered.
      #expect(try await World.eventually { world.kit.faults.reports.first { $0.id == id }?.applied == 1 })
      await client.abort()
    }
  }

  @Test("a restart of a world ends only its connections, also those by Host at its server's port")
  func restartByHost() async throws {
    try await WorldCallsTests.run { dev in
      _ = try await dev.call(.POST, "/_dev/worlds", #"{"seed":"courtyard"}"#)
      let port = try #require(URL(string: dev.url)?.port)
      let host = [("Host", "w1.localhost")]
      let (own, others) = (try await Wire.connect(port), try await Wire.connect(port))
      #expect(try await own.request("GET", "/v1/workspaces", headers: host).status == 400)
      #expect(try await others.request("GET", "/v1/workspaces").status == 400)
      let socket = try await RawWebSocket.open(port, "/socket.io/?EIO=4&transport=websocket", headers: host)
      _ = await socket.text()
      #expect(try await dev.call(.POST, "/_dev/worlds/w1/restart", #"{"milliseconds":60000}"#).status == 200)
      #expect(await own.readToEnd().isEmpty)
      #expect(await socket.next() == .end)
      #expect(try await others.request("GET", "/v1/workspaces").status == 400)
      // Nor does it answer there while it is down.
      for target in ["/v1/workspaces", "/socket.io/?EIO=4&transport=polling"] {
        let wire = try await Wire.connect(port)
        try await wire.sendRequest("GET", target, headers: host)
        #expect(await wire.readToEnd().isEmpty, "\(target)")
      }
      await #expect(throws: (any Error).self) {
        _ = try await RawWebSocket.open(port, "/socket.io/?EIO=4&transport=websocket", headers: host)
      }
      others.abort()
    }
  }
}
