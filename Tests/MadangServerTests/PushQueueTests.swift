import Foundation
import MadangAPI
import MadangCore
import MadangServer
import NIOHTTP1
import Storage
import Support
import Synchronization
import Testing

@testable import MadangServer

@Suite("The queue of chats to be pushed", .timeLimit(.minutes(2)))
struct PushQueueTests {
  /// Notes what it is given; the first notification is on its way until as many others as wanted were sent.
  private final class Sender: PushSender {
    private struct State {
      var begun = 0
      var underWay = 0
      var most = 0
      var sent: [String] = []
    }

    private let others: Int
    private let state = Mutex(State())

    init(others: Int) { self.others = others }

    var sent: [String] { state.withLock(\.sent) }
    var most: Int { state.withLock(\.most) }

    func send(_ notification: PushNotification) async throws {
      let isFirst = state.withLock { state in
        (state.begun, state.underWay) = (state.begun + 1, state.underWay + 1)
        state.most = max(state.most, state.underWay)
        return state.begun == 1
      }
      if isFirst { _ = try await World.eventually { sent.count >= others } }
      let body = try JSON(notification.payload)["aps"]?["alert"]?["body"]?.string ?? ""
      state.withLock { state in
        state.underWay -= 1
        state.sent.append(body.split(separator: " ").last.map(String.init) ?? "")
      }
    }
  }

  @Test(
    "a device that answers late holds up its own room only, each room in order, no more at once than the setting says",
    arguments: TestEngine.available)
  func parallel(_ engine: TestEngine) async throws {
    var settings = World.settings
    settings.isDevelopment = false
    settings.keys = [DevelopmentKey.october2024: .october2024]
    try await World.run(engine, settings: settings) { (world) async throws in
      let (mina, joon) = (try await world.signUp("Mina"), try await world.signUp("Joon"))
      let workspace = try await mina.workspace()
      try await mina.invite(joon, to: workspace)
      for person in [mina, joon] { try await PushTests.register(person, "device of \(person.id)") }
      let rooms = ["a", "b", "c"]
      for room in rooms {
        let channel = try await mina.channel(room, in: workspace)
        _ = try await joon.get("\(channel)/chats")
        for number in 0..<3 { _ = try await mina.say("\(room)\(number)", in: channel) }
      }
      let madang = world.server.madang
      _ = try await madang.database.write { transaction in
        try transaction.execute("INSERT INTO push_outbox (chat_id, claimed_until) SELECT id, 0 FROM chats")
      }
      var push = PushSettings()
      push.parallelSends = 2
      let sender = Sender(others: 6)
      let queue = PushQueue(
        madang: madang, sender: sender, settings: push, editions: [Edition.named(.october2024, offset: 0)],
        metrics: Metrics())
      let running = Task { try await queue.run() }
      #expect(try await World.eventually { try await madang.waitingPushes() == 0 })
      running.cancel()
      _ = await running.result
      #expect(sender.sent.count == 9 && sender.most == 2)
      for room in rooms {
        #expect(sender.sent.filter { $0.hasPrefix(room) } == (0..<3).map { "\(room)\($0)" })
      }
    }
  }

  /// Answers each notification as it is told to for its number; nil takes it.
  private final class Faults: PushSender {
    private let fault: @Sendable (_ device: String, _ number: Int) -> (any Error)?
    private let state = Mutex((counts: [String: Int](), taken: [String]()))

    init(_ fault: @escaping @Sendable (_ device: String, _ number: Int) -> (any Error)?) { self.fault = fault }

    var taken: [String] { state.withLock(\.taken) }
    func tries(_ device: String) -> Int { state.withLock { $0.counts[device] ?? 0 } }

    func send(_ notification: PushNotification) async throws {
      let number = state.withLock { state in
        state.counts[notification.deviceToken, default: 0] += 1
        return state.counts[notification.deviceToken] ?? 0
      }
      if let error = fault(notification.deviceToken, number) { throw error }
      state.withLock { $0.taken.append(notification.deviceToken) }
    }
  }

  /// One chat for two devices, "fails" and "works", and later ones elsewhere for the second, while the queue runs with
  /// this sender.
  private static func withChat(
    _ engine: TestEngine, _ sender: Faults, lifetime: Int64 = 3_600_000, retryPause: Duration = .milliseconds(1),
    chatsElsewhere: Int = 0,
    _ body: @Sendable @escaping (World) async throws -> Void
  ) async throws {
    var settings = World.settings
    settings.isDevelopment = false
    settings.keys = [DevelopmentKey.october2024: .october2024]
    try await World.run(engine, settings: settings) { (world) async throws in
      let (mina, joon, sora) = (
        try await world.signUp("Mina"), try await world.signUp("Joon"), try await world.signUp("Sora")
      )
      let workspace = try await mina.workspace()
      let channel = try await mina.channel("ios", in: workspace)
      for (person, device) in [(joon, "fails"), (sora, "works")] {
        try await mina.invite(person, to: workspace)
        try await PushTests.register(person, device)
        _ = try await person.get("\(channel)/chats")
      }
      _ = try await mina.say("hello", in: channel)
      let elsewhere = try await mina.channel("elsewhere", in: workspace)
      _ = try await sora.get("\(elsewhere)/chats")
      for number in 0..<chatsElsewhere { _ = try await mina.say("\(number)", in: elsewhere) }
      let madang = world.server.madang
      _ = try await madang.database.write { transaction in
        try transaction.execute("INSERT INTO push_outbox (chat_id, claimed_until) SELECT id, 0 FROM chats")
      }
      var push = PushSettings()
      push.retryPause = retryPause
      push.lifetime = lifetime
      let queue = PushQueue(
        madang: madang, sender: sender, settings: push, editions: [Edition.named(.october2024, offset: 0)],
        metrics: Metrics())
      let running = Task { try await queue.run() }
      try await body(world)
      running.cancel()
      _ = await running.result
    }
  }

  private struct Unreachable: Error {}

  @Test(
    "what the provider did not take because it was out of reach is sent again, and what it took is not",
    arguments: TestEngine.available)
  func outage(_ engine: TestEngine) async throws {
    let sender = Faults { device, number in device == "fails" && number < 5 ? Unreachable() : nil }
    try await Self.withChat(engine, sender) { (world) async throws in
      #expect(try await World.eventually { try await world.server.madang.waitingPushes() == 0 })
    }
    #expect(sender.taken == ["works", "fails"])
  }

  @Test(
    "what the provider refuses is sent once, what it may have taken twice, what it puts off ten times",
    arguments: [(PushFailure.refused(status: 404), 1), (.delayed(status: 503), 10), (.unanswered, 2)])
  func refusals(_ failure: PushFailure, _ tries: Int) async throws {
    let sender = Faults { device, _ in device == "fails" ? failure : nil }
    try await Self.withChat(.sqlite, sender) { (world) async throws in
      #expect(try await World.eventually { try await world.server.madang.waitingPushes() == 0 })
    }
    #expect(sender.taken == ["works"] && sender.tries("fails") == tries)
  }

  @Test(
    "a device whose notification is put off holds up its own room only, and nobody is told twice for it",
    arguments: TestEngine.available)
  func putOff(_ engine: TestEngine) async throws {
    let sender = Faults { device, _ in device == "fails" ? PushFailure.delayed(status: 429) : nil }
    // More than are claimed at a time.
    try await Self.withChat(engine, sender, retryPause: .seconds(3600), chatsElsewhere: 70) { (world) async throws in
      // Those elsewhere are told and done with, while the first one waits.
      #expect(try await World.eventually { try await world.server.madang.waitingPushes() == 1 })
      #expect(sender.taken == Array(repeating: "works", count: 71) && sender.tries("fails") == 1)
    }
  }

  @Test("a chat whose provider stays out of reach waits in the database, until its time is over")
  func lifetime() async throws {
    let sender = Faults { _, _ in Unreachable() }
    try await Self.withChat(.sqlite, sender, lifetime: 60_000) { (world) async throws in
      #expect(try await World.eventually { sender.tries("fails") > 3 })
      #expect(try await world.server.madang.waitingPushes() == 1)
      world.clock.advance(milliseconds: 60_001)
      #expect(try await World.eventually { try await world.server.madang.waitingPushes() == 0 })
    }
  }

  @Test("no more have a place than there are, and every place is given back")
  func places() async {
    let places = Places(2)
    let counts = Counts()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<100 {
        group.addTask {
          await places.enter()
          counts.began()
          await Task.yield()
          counts.ended()
          places.leave()
        }
      }
    }
    #expect(counts.most <= 2)
    for _ in 0..<2 { await places.enter() }
  }

  private final class Counts: Sendable {
    private let state = Mutex((now: 0, most: 0))

    var most: Int { state.withLock(\.most) }
    func began() { state.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) } }
    func ended() { state.withLock { $0.now -= 1 } }
  }
}
