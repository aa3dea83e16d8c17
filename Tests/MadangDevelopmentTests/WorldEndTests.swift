import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTP1
import NIOPosix
import ServiceLifecycle
import SocketIOClient
import SocketIOSupport
import Support
import Testing

@testable import MadangDevelopment

@Suite("Calls when a world ends or the caller leaves", .timeLimit(.minutes(5)))
struct WorldEndTests {
  static let waiting = ["journal?kind=push&wait=60s", "scripts/s?wait=60s"]
  private static let script = "{name: s, start: true, do: [{wait: 1h}]}"

  /// Waits for the end of answered calls: a client has its answer a little earlier.
  private static func quiet(_ development: DevelopmentServer) async {
    await until { development.callsUnderWay() == 0 && development.callsUnderWay(of: "w1") == 0 }
  }

  @Test(
    "waiting calls in a removed world end with the reason, at the server's port and at its own",
    arguments: waiting, [false, true])
  func waits(_ call: String, atOwnPort: Bool) async throws {
    try await WorldCallsTests.run { dev, development, _ in
      let made = try await dev.call(.POST, "/_dev/worlds", #"{"seed":"courtyard","number":1}"#)
      let world = atOwnPort ? Caller(url: try #require(made.object["url"] as? String)) : dev
      let path = atOwnPort ? "/_dev/" : "/_dev/worlds/w1/"
      #expect(try await world.call(.POST, path + "scripts", Self.script).status == 200)
      await Self.quiet(development)
      let waiting = Task { try await world.call(.GET, path + call) }
      await until { development.callsUnderWay(of: "w1") == 1 }
      #expect(try await dev.call(.DELETE, "/_dev/worlds/w1").status == 200)
      let answer = try await waiting.value
      #expect(
        answer.status == 400 && answer.body == #"{"error":"the world 'w1' has been removed"}"#, "\(answer)")
    }
  }

  @Test(
    "a stopping server ends waiting calls of itself and its worlds with the reason, and does not wait for them",
    arguments: waiting, ["/_dev/", "/_dev/worlds/w1/"])
  func stops(_ call: String, _ path: String) async throws {
    try await WorldCallsTests.run { dev, development, group in
      _ = try await dev.call(.POST, "/_dev/worlds", #"{"seed":"courtyard","number":1}"#)
      #expect(try await dev.call(.POST, path + "scripts", Self.script).status == 200)
      await Self.quiet(development)
      let waiting = Task { try await dev.call(.GET, path + call) }
      await until { development.callsUnderWay(of: path == "/_dev/" ? nil : "w1") == 1 }
      await group.triggerGracefulShutdown()
      let answer = try await waiting.value
      #expect(
        answer.status == 400
          && answer.body == #"{"error":"the server is stopping; call again when it has been restarted"}"#,
        "\(answer)")
    }
  }

  @Test("a world's coverage counts while it is being removed, and afterwards")
  func coverage() async throws {
    try await WorldCallsTests.run { dev in
      let made = try await dev.call(.POST, "/_dev/worlds", #"{"seed":"courtyard"}"#)
      _ = try await Caller(url: try #require(made.object["url"] as? String)).signedIn("mina@example.com")
      func counts() async throws -> NSDictionary? {
        try await dev.call(.GET, "/_dev/coverage").object["counts"] as? NSDictionary
      }
      let before = try #require(try await counts())
      #expect("\(before)".contains("signIn"))
      let removal = Task { try await dev.call(.DELETE, "/_dev/worlds/w1").status }
      while try await !dev.call(.GET, "/_dev/worlds").list.isEmpty { #expect(try await counts() == before) }
      for _ in 0..<5 { #expect(try await counts() == before) }
      #expect(try await removal.value == 200)
      #expect(try await counts() == before)
    }
  }

  private static let long = """
    people: [{count: 2, email: "p{n}@example.com"}]
    workspaces: [{name: W, owner: p1, chats: [{count: 1000000, every: 1s, until: -1m, text: "{n}"}]}]
    """

  @Test("the planting of a seed ends when its caller is cancelled, and leaves nothing")
  func cancelled() async throws {
    try await Scene.run { worlds in
      let plan = WorldPlan(seed: try Seed(Self.long))
      let making = Task { try await worlds.make(plan) }
      making.cancel()
      await #expect(throws: CancellationError.self) { try await making.value }
      #expect(worlds.all.isEmpty && worlds.keptBeginnings == 0)
    }
  }

  @Test("the planting of a seed ends when its caller has left")
  func left() async throws {
    try await WorldCallsTests.run { dev in
      let port = try #require(URL(string: dev.url)?.port)
      let wire = try await Wire.connect(port)
      let body = try JSONSerialization.data(withJSONObject: ["seed": Self.long])
      try await wire.sendRequest("POST", "/_dev/worlds", headers: [], body: Array(body))
      // The next seed waits for this one.
      let next = Task { try await dev.call(.POST, "/_dev/worlds", #"{"name":"next"}"#) }
      wire.abort()
      #expect(try await next.value.object["name"] as? String == "next")
      #expect(try await dev.call(.GET, "/_dev/worlds").list.count == 1)
    }
  }

  @Test(
    "waiting ends once the client has left",
    arguments: [
      ("GET", "journal?kind=push&wait=60s", ""), ("GET", "scripts/s?wait=60s", ""),
      ("POST", "expect", #"{"expected":[{"kind":"push"}],"wait":"60s"}"#),
      ("POST", "expect", #"{"expected":[{"kind":"push","times":0}],"settle":"60s"}"#),
    ])
  func leftWaiting(_ method: String, _ call: String, _ body: String) async throws {
    try await WorldCallsTests.run { dev, development, _ in
      #expect(try await dev.call(.POST, "/_dev/worlds", #"{"seed":"courtyard","number":1}"#).status == 200)
      #expect(try await dev.call(.POST, "/_dev/worlds/w1/scripts", Self.script).status == 200)
      await Self.quiet(development)
      let wire = try await Wire.connect(try #require(URL(string: dev.url)?.port))
      try await wire.sendRequest(method, "/_dev/worlds/w1/\(call)", headers: [], body: Array(body.utf8))
      await until { development.callsUnderWay(of: "w1") == 1 }
      wire.abort()
      await until { development.callsUnderWay(of: "w1") == 0 }
      #expect(development.callsUnderWay(of: "w1") == 0)
    }
  }

  @Test("a world created for a client that has left is removed")
  func leftAtTheEnd() async throws {
    let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
    let channel = try await bootstrap.bind(host: "127.0.0.1", port: 0).get()
    try await channel.close()
    let call = DevelopmentCall(
      method: .post, path: ["worlds"],
      request: Request(
        head: HTTPRequest(method: .post, scheme: nil, authority: nil, path: "/"), body: .init(buffer: .init())),
      channel: channel)
    try await Scene.run { worlds in
      let plan = try Scene.plan(.empty, number: 1)
      await #expect(throws: WorldError.self) {
        try await call.whileClientWaits {
          try await worlds.make(plan)
        } undo: { world in
          #expect(await worlds.remove(world.id))
        }
      }
      #expect(worlds.all.isEmpty)
    }
  }

  @Test("worlds being created count for the limit")
  func limit() async throws {
    let worlds = try Worlds(limit: 1, logger: Scene.logger)
    let plan = try Scene.plan(.empty, number: 1)
    let made = await withTaskGroup { group in
      for _ in 0..<4 { group.addTask { try? await worlds.make(plan) } }
      return await group.reduce(into: 0) { $0 += $1 == nil ? 0 : 1 }
    }
    #expect(made == 1 && worlds.all.count == 1)
    let error = await #expect(throws: WorldError.self) { try await worlds.make(plan) }
    #expect(error?.description.contains("there are already 1 worlds") == true)
    await worlds.end()
  }

  /// Whether an object is still in memory.
  private final class Trace: Sendable {
    weak let object: TestKit?

    init(_ object: TestKit) { self.object = object }
  }

  @Test("a removed world leaves nothing in memory, with or without calls and sockets", arguments: [false, true])
  func freed(isUsed: Bool) async throws {
    try await Scene.run { worlds in
      var client: SocketIOClient?
      func used() async throws -> (id: String, kit: Trace) {
        let world = try await worlds.make(try Scene.plan(.courtyard, number: 1))
        guard isUsed else { return (world.id, Trace(world.kit)) }
        _ = try await Caller(url: world.url).signedIn("mina@example.com")
        let socket = try SocketIOClient(url: world.url)
        client = socket
        Task { await socket.run() }
        for try await update in await socket.updates(in: ["/"]) { if case .connected = update.kind { break } }
        return (world.id, Trace(world.kit))
      }
      let (id, kit) = try await used()
      #expect(kit.object != nil)
      #expect(await worlds.remove(id))
      await until { kit.object == nil }
      #expect(kit.object == nil)
      await client?.close()
    }
  }
}
