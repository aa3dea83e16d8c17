import NIOCore
import SocketIOProtocol
import SocketIOSupport
import Synchronization
import Testing

@testable import SocketIOServer

@Suite("Turns of inflating", .timeLimit(.minutes(5)))
struct InflatingTurnTests {
  /// The loops' inflated bytes, sampled all the time by the loops themselves.
  private final class Watch: Sendable {
    private let most = Mutex(0)
    private let sharesSeen = Atomic(false)
    /// Whether a WebSocket has waited for its owner's share, and not only for other work of its loop.
    var hasSeenShares: Bool { sharesSeen.load(ordering: .relaxed) }
    /// The most bytes that a loop inflated without other work in between.
    var mostAtOnce: Int { most.withLock { $0 } }

    init(_ server: TestServer) {
      for shard in server.server.core.shards { shard.run { self.look($0, before: 0) } }
    }

    private func look(_ shard: LoopShard, before: Int) {
      let produced = shard.deflateStreams?.inflater.produced ?? 0
      most.withLock { $0 = max($0, produced - before) }
      if shard.turns.isEmpty, shard.sessions.values.contains(where: { $0.link?.waiting != nil }) {
        sharesSeen.store(true, ordering: .relaxed)
      }
      shard.loop.scheduleTask(in: .microseconds(50)) { [weak self] in self?.look(shard, before: produced) }
    }
  }

  /// Events that each inflate to nearly a million bytes, in one buffer.
  private static func largeEvents(_ client: DeflatingClient, _ numbers: Range<Int>) throws -> [UInt8] {
    try numbers.flatMap { number in
      let text = #"42/turns,["large \#(number)","\#(String(repeating: "x", count: 900_000))"]"#
      return RawWebSocket.frame(0xc1, try client.compressed(Array(text.utf8)))
    }
  }

  private static func noteLarge(_ server: TestServer) -> Mutexed {
    let seen = Mutexed()
    var handlers = NamespaceHandlers()
    handlers.onAny { socket, event in
      seen.add(event.name)
      if event.name == "large 3", seen.endsAtThird { socket.disconnect(closingSession: true) }
    }
    server.server.namespace("/turns", configure: handlers)
    return seen
  }

  private final class Mutexed: Sendable {
    private let state = Mutex((names: [String](), endsAtThird: false))
    var names: [String] { state.withLock { $0.names } }
    var endsAtThird: Bool {
      get { state.withLock { $0.endsAtThird } }
      set { state.withLock { $0.endsAtThird = newValue } }
    }
    func add(_ name: String) { state.withLock { $0.names.append(name) } }
  }

  @Test(
    "a read that inflates to many megabytes is worked on in turns, in order, also when the client is gone behind it")
  func turns() async throws {
    for (isGone, isOwned) in [(false, false), (true, false), (false, true), (true, true)] {
      try await TestServer.with(
        .changed {
          $0.perMessageDeflate = .init()
          if isOwned { $0.connectionOwner = { _ in "a" } }
        }
      ) { server in
        let seen = Self.noteLarge(server)
        let client = try await DeflatingClient.joined(server, "/turns,")
        let watch = Watch(server)
        let count = 30
        try await client.webSocket.wire.send(Self.largeEvents(client, 0..<count) + RawWebSocket.frame(0x89, [7]))
        if isGone {
          client.webSocket.wire.abort()
        } else {
          #expect(await client.webSocket.next() == .pong([7]))
          client.webSocket.wire.abort()
        }
        #expect(await server.settles(sessions: 0))
        #expect(seen.names == (0..<count).map { "large \($0)" })
        #expect(watch.mostAtOnce < 3_000_000, "\(watch.mostAtOnce)")
      }
    }
  }

  /// Whether the other clients may stop.
  private final class Rest: Sendable {
    let isOver = Atomic(false)
  }

  /// Joins clients until one is served by the same loop as the first.
  private static func neighbour(of first: LoopShard, _ server: TestServer) async throws -> EngineClient {
    while true {
      let other = try await EngineClient(server, .webSocket)
      guard try await first.loop.submit({ first.sessions.count }).get() < 2 else { return other }
    }
  }

  @Test(
    "while another client sends, inflating waits for its owner's share, in order; input of a gone client may be lost",
    arguments: [false, true])
  func shares(isGone: Bool) async throws {
    try await TestServer.with(
      .changed {
        $0.perMessageDeflate = .init()
        // Each connection has its own owner.
        $0.connectionOwner = { $0?.port.map(String.init) }
      }
    ) { server in
      let seen = Self.noteLarge(server)
      let client = try await DeflatingClient.joined(server, "/turns,")
      let shards = server.server.core.shards
      var own: LoopShard?
      for shard in shards where try await shard.loop.submit({ !shard.sessions.isEmpty }).get() { own = shard }
      let shard = try #require(own)
      let other = try await Self.neighbour(of: shard, server)
      _ = try await other.join("/")
      let watch = Watch(server)
      var batches = 0
      let batch = 5
      let rest = Rest()
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
          var number = 0
          while !rest.isOver.load(ordering: .relaxed) {
            number += 1
            try await other.send(#"42["echo",\#(number)]"#)
            #expect(try await other.text() == #"42["echo-back",\#(number)]"#)
          }
        }
        // If the machine stands still before a batch, the other client counts as silent, and nothing waits.
        repeat {
          let events = try Self.largeEvents(client, batches * batch..<(batches + 1) * batch)
          try await client.webSocket.wire.send(events + RawWebSocket.frame(0x89, [7]))
          batches += 1
          let end = ContinuousClock.now + .seconds(10)
          while !watch.hasSeenShares, ContinuousClock.now < end { try await Task.sleep(for: .milliseconds(1)) }
        } while !watch.hasSeenShares
        if !isGone {
          for _ in 0..<batches { #expect(await client.webSocket.next() == .pong([7])) }
        }
        client.webSocket.wire.abort()
        while try await shard.loop.submit({ shard.sessions.values.contains { $0.link?.waiting != nil } }).get() {
          try await Task.sleep(for: .milliseconds(1))
        }
        rest.isOver.store(true, ordering: .relaxed)
        try await group.waitForAll()
      }
      let all = (0..<batches * batch).map { "large \($0)" }
      #expect(isGone ? all.starts(with: seen.names) : all == seen.names)
    }
  }

  @Test("messages that wait for their turn are dropped when the server closes the session")
  func closedAmidTurns() async throws {
    try await TestServer.with(.changed { $0.perMessageDeflate = .init() }) { server in
      let seen = Self.noteLarge(server)
      seen.endsAtThird = true
      let client = try await DeflatingClient.joined(server, "/turns,")
      try await client.webSocket.wire.send(Self.largeEvents(client, 0..<20))
      #expect(await server.settles(sessions: 0))
      #expect(seen.names == (0...3).map { "large \($0)" })
    }
  }
}
