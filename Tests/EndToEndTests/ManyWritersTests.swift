import MadangCore
import MadangOperations
import MadangServer
import SocketIOClient
import SocketIOProtocol
import Support
import Testing

@Suite("Many writers and readers", .serialized)
struct ManyWritersTests {
  @Test(
    "20 writers and 10 readers: every cursor and every socket sees each of 5,000 chats exactly once, in order",
    .timeLimit(.minutes(10)), arguments: TestEngine.available)
  func everyChatOnce(_ engine: TestEngine) async throws {
    let (writers, readers, each) = (20, 10, 250)
    try await World.run(engine, settings: World.settings(\.callLimits.requests, 0)) { world in
      let owner = try await world.signUp("Owner")
      let channel = try await owner.channel("busy", in: try await owner.workspace())
      try await world.notesAddresses(of: 1)
      let namespace = "/ws-channel-\(channel.split(separator: "/").last ?? "")"
      let total = writers * each

      try await withThrowingTaskGroup(of: [String].self) { group in
        let (joined, signal) = AsyncStream.makeStream(of: Void.self)
        for _ in 0..<readers {
          group.addTask { try await Self.listen(world, namespace, total, joined: signal) }
        }
        // Sockets receive only new chats, so the writers wait until all sockets have joined.
        var waiting = readers
        for await _ in joined {
          waiting -= 1
          if waiting == 0 { break }
        }
        for _ in 0..<readers { group.addTask { try await Self.walk(owner, channel, total) } }
        let posted = try await withThrowingTaskGroup(of: [String].self) { posts in
          for writer in 0..<writers {
            posts.addTask {
              var ids: [String] = []
              for index in 0..<each {
                let chat = try await owner.say("\(writer)-\(index)", in: channel)
                ids.append(try #require(chat["chat_id"]?.string))
              }
              return ids
            }
          }
          return try await posts.reduce(into: Set<String>()) { $0.formUnion($1) }
        }
        #expect(posted.count == total)
        var order: [String]?
        for try await seen in group {
          #expect(seen.count == total)
          #expect(Set(seen) == posted)
          if let order { #expect(seen == order) } else { order = seen }
        }
      }
    }
  }

  /// Collects the ids of all chats that a socket receives, in order.
  private static func listen(
    _ world: World, _ namespace: String, _ total: Int, joined: AsyncStream<Void>.Continuation
  ) async throws -> [String] {
    var configuration = SocketIOClient.Configuration()
    configuration.maxWaitingUpdates = total + 10
    let client = try SocketIOClient(url: world.url, configuration: configuration)
    let running = Task { await client.run() }
    var ids: [String] = []
    for try await update in await client.updates(in: [namespace]) {
      switch update.kind {
      case .connected: joined.yield()
      case .event(let event): ids.append(try JSON(event.arguments.values.first ?? [])["chat_id"]?.string ?? "?")
      case .refused, .disconnected, .waiting: throw Lost()
      }
      if ids.count == total { break }
    }
    await client.close()
    await running.value
    return ids
  }

  struct Lost: Error {}

  /// Reads the history by cursor while it grows, until all chats were seen.
  private static func walk(_ reader: TestPerson, _ channel: String, _ total: Int) async throws -> [String] {
    var ids: [String] = []
    var last = ""
    while ids.count < total {
      for chat in try await reader.get("\(channel)/chats?cursor_date=\(last)").list ?? [] {
        let date = try #require(chat["createdAt"]?.string)
        #expect(date > last)
        last = date
        ids.append(try #require(chat["chat_id"]?.string))
      }
    }
    return ids
  }
}
