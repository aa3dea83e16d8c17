import Foundation
import MadangAPI
import MadangCore
import MadangServer
import NIOHTTP1
import Storage
import Support
import Synchronization
import Testing

@testable import MadangOperations
@testable import MadangServer

@Suite("Push queue", .timeLimit(.minutes(5)))
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

    func send(_ notification: PushNotification, isTrial: Bool) async throws {
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
    "a slow device delays its own room only",
    arguments: TestEngine.available)
  func parallel(_ engine: TestEngine) async throws {
    try await PushScene.withoutQueue(engine) { (world) async throws in
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
      try await PushScene.pushAll(world)
      var push = PushSettings()
      push.parallelSends = 2
      let sender = Sender(others: 6)
      try await PushScene.running(world, sender, push) { () async throws in #expect(try await PushScene.isEmpty(world))
      }
      #expect(sender.sent.count == 9 && sender.most == 2)
      for room in rooms {
        #expect(sender.sent.filter { $0.hasPrefix(room) } == (0..<3).map { "\(room)\($0)" })
      }
    }
  }

  @Test(
    "a server that lost its claim does not send the waiting push",
    arguments: TestEngine.available)
  func lateTurn(_ engine: TestEngine) async throws {
    try await PushScene.withoutQueue(engine) { (world) async throws in
      let (mina, joon) = (try await world.signUp("Mina"), try await world.signUp("Joon"))
      let workspace = try await mina.workspace()
      try await mina.invite(joon, to: workspace)
      try await PushTests.register(joon, "device")
      for name in ["a", "b"] {
        let channel = try await mina.channel(name, in: workspace)
        _ = try await joon.get("\(channel)/chats")
        _ = try await mina.say(name, in: channel)
      }
      try await PushScene.pushAll(world)
      let madang = world.server.madang
      // While the first is on its way, another server takes both chats.
      let sender = FaultySender { _, number in
        guard number == 1 else { return nil }
        _ = try? await madang.database.write {
          try $0.execute("UPDATE push_outbox SET claimed_until = claimed_until + 1")
        }
        world.clock.advance(milliseconds: Madang.pushClaim / 2)
        return nil
      }
      var push = PushScene.quick
      push.parallelSends = 1
      try await PushScene.running(world, sender, push) { () async throws in
        #expect(try await World.eventually { sender.taken.count >= 1 })
        // Once these are pushed, too, all earlier pushes were sent.
        let last = try await mina.channel("c", in: workspace)
        _ = try await joon.get("\(last)/chats")
        _ = try await mina.say("c", in: last)
        _ = try await madang.database.write { transaction in
          try transaction.execute(
            """
            INSERT INTO push_outbox (chat_id, claimed_until, room_id)
            SELECT id, 0, room_id FROM chats WHERE content = 'c'
            """)
        }
        #expect(try await World.eventually { try await madang.waitingPushes() == 2 })
      }
      #expect(sender.taken.count == 2)
    }
  }

  @Test("rooms take turns at pushes, so that many chats of one delay no other", arguments: TestEngine.available)
  func turns(_ engine: TestEngine) async throws {
    try await PushScene.withoutQueue(engine) { (world) async throws in
      let (mina, joon) = (try await world.signUp("Mina"), try await world.signUp("Joon"))
      let workspace = try await mina.workspace()
      try await mina.invite(joon, to: workspace)
      try await PushTests.register(joon, "device")
      for room in 0..<17 {
        let channel = try await mina.channel("r\(room)", in: workspace)
        _ = try await joon.get("\(channel)/chats")
        for number in 0..<(room < 16 ? 4 : 1) { _ = try await mina.say("\(room)-\(number)", in: channel) }
      }
      try await PushScene.pushAll(world)
      let sender = FaultySender { _, _ in nil }
      var push = PushScene.quick
      push.parallelSends = 1
      try await PushScene.running(world, sender, push) { () async throws in #expect(try await PushScene.isEmpty(world))
      }
      let told = sender.told("device")
      #expect(told.count == 65)
      for room in 0..<16 {
        #expect(told.filter { $0.hasPrefix("\(room)-") } == (0..<4).map { "\(room)-\($0)" })
      }
      #expect(try #require(told.firstIndex(of: "16-0")) < 40)
    }
  }

  @Test("a semaphore never lets more tasks pass than its value, and is free again after them")
  func semaphore() async {
    let semaphore = AsyncSemaphore(2)
    let counts = Counts()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<100 {
        group.addTask {
          await semaphore.wait()
          counts.began()
          await Task.yield()
          counts.ended()
          semaphore.signal()
        }
      }
    }
    #expect(counts.most <= 2)
    for _ in 0..<2 { await semaphore.wait() }
  }

  private final class Counts: Sendable {
    private let state = Mutex((now: 0, most: 0))

    var most: Int { state.withLock(\.most) }
    func began() { state.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) } }
    func ended() { state.withLock { $0.now -= 1 } }
  }
}
