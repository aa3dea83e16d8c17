import MadangClient
import MadangTesting
import Testing

@Suite("MadangTesting: settings and sockets", .madang(seed: .courtyard, number: 7), .timeLimit(.minutes(5)))
struct MadangSocketsTests {
  private let world = Madang.world

  @Test("B09: settings of a world change that world only, and a wrong setting is an error that names it")
  func settings() async throws {
    try await MadangWorld.with(.empty, settings: ["socket.ping.interval": "1s"]) { changed in
      let clients = [try await PollingClient(of: changed), try await PollingClient(of: world)]
      #expect(clients.map(\.pingInterval) == [1000, 25_000])
    }
    let error = await #expect(throws: MadangTestingError.self) {
      try await MadangWorld.with(.empty, settings: ["socket.pong": "1s"]) { _ in }
    }
    #expect(error?.description.contains("socket.pong") == true, "\(String(describing: error))")
  }

  @Test("B09: the trait gives its settings to its worlds", .madang(settings: ["socket.ping.interval": "2s"]))
  func settingsOfTrait() async throws {
    #expect(try await PollingClient(of: Madang.world).pingInterval == 2000)
  }

  @Test("B41: open sockets are listed, and cut by account, by session, and all")
  func sockets() async throws {
    let namespace = try await namespace()
    let first = try await joined("mina", namespace)
    let second = try await joined("mina", namespace)
    let other = try await joined("joon", namespace)
    let listed = try await world.sockets.list(count: 3, within: "30s")
    #expect(listed.map(\.session) == [other.session, second.session, first.session])
    #expect(listed.map(\.account) == ["joon@example.com", "mina@example.com", "mina@example.com"])
    #expect(listed.allSatisfy { $0.transport == "polling" && $0.namespaces == [namespace] && $0.waitingBytes == 0 })
    #expect(try await world.sockets.list(account: "joon").map(\.session) == [other.session])
    #expect(try await world.sockets.list(account: "mina", count: 3, within: "10ms").count == 2)
    #expect(try await world.sockets.cut(account: "mina") == 2)
    #expect(try await world.sockets.list().map(\.session) == [other.session])
    #expect(try await first.poll().status == 400)

    try await world.sockets.cut(session: other.session)
    #expect(try await world.sockets.list().isEmpty)
    _ = try await joined("sora", namespace)
    _ = try await PollingClient(of: world)
    #expect(try await world.sockets.list().map(\.account) == [nil, "sora@example.com"])
    #expect(try await world.sockets.cutAll() == 2)
    #expect(try await world.sockets.list().isEmpty)
  }

  @Test("a socket that is not open and an unknown account are errors that name them")
  func unknown() async throws {
    let socket = await #expect(throws: MadangTestingError.self) { try await world.sockets.cut(session: "gone") }
    #expect(socket?.description.hasPrefix("there is no open socket 'gone'") == true)
    let account = await #expect(throws: MadangTestingError.self) { try await world.sockets.cut(account: "zoe") }
    #expect(account?.description.contains("zoe") == true)
  }

  /// The namespace of a channel in which Mina, Joon and Sora are members.
  private func namespace() async throws -> String {
    let chat = try await world.person("joon").post("Lunch?", in: "Weekend/ios")
    return "/ws-channel-\(chat.roomID)"
  }

  private func joined(_ name: String, _ namespace: String) async throws -> PollingClient {
    let client = try await PollingClient(of: world, as: "\(name)@example.com")
    try await client.join(namespace)
    return client
  }
}
