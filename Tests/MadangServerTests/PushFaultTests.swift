import MadangCore
import MadangServer
import Storage
import Support
import Synchronization
import Testing

@testable import MadangOperations
@testable import MadangProviders
@testable import MadangServer

@Suite("Push outages", .timeLimit(.minutes(5)))
struct PushFaultTests {
  private struct Unreachable: Error {}

  @Test(
    "pushes are repeated after an outage, except those the provider accepted",
    arguments: TestEngine.available)
  func outage(_ engine: TestEngine) async throws {
    for error in [Unreachable(), PushFailure.overloaded(status: 503)] as [any Error] {
      // It goes on until the provider answers a trial.
      let trials = Mutex(0)
      let isDown: @Sendable () -> Bool = { trials.withLock { $0 < 6 } }
      let sender = FaultySender { device, _ in
        device == "fails" && isDown() ? error : nil
      } onTrial: {
        trials.withLock { $0 += 1 }
        return isDown() ? error : nil
      }
      try await PushScene.withChat(engine, sender) { (world) async throws in
        #expect(try await PushScene.isEmpty(world))
      }
      #expect(sender.taken.sorted() == ["fails", "works"])
    }
  }

  @Test(
    "a provider failure for one device delays rooms by two pauses at most",
    arguments: TestEngine.available, ["fails", "works"])
  func outageOfOneDevice(_ engine: TestEngine, _ bad: String) async throws {
    // In the other room only "works" gets pushes, so a failure there reaches no device.
    let errors: [any Error] = [PushFailure.overloaded(status: 503), ProviderCalls.Unusable(status: 403)]
    for error in errors {
      let sender = FaultySender { device, _ in device == bad ? error : nil }
      try await PushScene.withChat(engine, sender, chats: 3, chatsElsewhere: 3) { (world) async throws in
        #expect(try await PushScene.isEmpty(world))
        // An answer to another device ends an outage, too.
        #expect(sender.trials <= PushOutage.maxPerDevice)
        // In an hour all of it would be given up.
        #expect(sender.told("works").count == (bad == "works" ? 0 : 6))
        #expect(sender.told("fails").count == (bad == "fails" ? 0 : 3))
      }
    }
  }

  @Test("a device that works again may start outages again")
  func outagesOfAHealthyDevice() async throws {
    // Fails for each second time.
    let sender = FaultySender { device, number in
      device == "fails" && !number.isMultiple(of: 2) ? PushFailure.overloaded(status: 503) : nil
    }
    try await PushScene.withChat(.sqlite, sender, chats: 5) { (world) async throws in
      #expect(try await PushScene.isEmpty(world))
    }
    #expect(sender.told("fails").count == 5 && sender.tries("fails") == 10)
  }

  @Test("a chat that reached no device is released to servers that reach the provider")
  func givenBack() async throws {
    let sender = FaultySender { _, _ in
      Unreachable()
    } onTrial: {
      Unreachable()
    }
    try await PushScene.withChat(.sqlite, sender) { (world) async throws in
      #expect(try await World.eventually { sender.trials > 2 })
      // On a busy machine the trials come before the release.
      #expect(try await World.eventually { try await world.server.madang.claimPushes(limit: 1).count == 1 })
    }
  }

  @Test(
    "a refused push is sent once, a doubtful one twice, a deferred one ten times",
    arguments: [
      (PushFailure.refused(status: 403), 1), (.unregistered(status: 404), 1), (.delayed(status: 429), 10),
      (.unanswered, 2),
    ])
  func refusals(_ failure: PushFailure, _ tries: Int) async throws {
    let sender = FaultySender { device, _ in device == "fails" ? failure : nil }
    try await PushScene.withChat(.sqlite, sender) { (world) async throws in
      #expect(try await PushScene.isEmpty(world))
      #expect(try await World.eventually { sender.tries("fails") == tries })
    }
    #expect(sender.taken == ["works"] && sender.tries("fails") == tries)
  }

  @Test("a deferred push is sent when its time has come")
  func askedToWait() async throws {
    let sender = FaultySender { device, number in
      device == "fails" && number == 1 ? PushFailure.delayed(status: 429, pause: .seconds(1000)) : nil
    }
    // A busy machine looks after the device late, when the clock is far ahead.
    var push = PushScene.quick
    push.lifetime = 1 << 40
    try await PushScene.withChat(.sqlite, sender, push, chats: 2, chatsElsewhere: 3) { (world) async throws in
      #expect(try await World.eventually { sender.told("works").count == 5 })
      #expect(sender.tries("fails") == 1)
      // Its time begins when a task looks after the device.
      #expect(
        try await World.eventually {
          world.clock.advance(milliseconds: 1_000_000)
          return sender.told("fails") == ["0", "1"]
        })
    }
  }

  @Test("a provider that asks for time is not tried earlier, and a trial has no data of a chat")
  func askedForTime() async throws {
    let isDown = Mutex(true)
    let sender = FaultySender { _, _ in
      isDown.withLock(\.self) ? PushFailure.overloaded(status: 503, pause: .seconds(1000)) : nil
    } onTrial: {
      isDown.withLock(\.self) ? PushFailure.overloaded(status: 503, pause: .seconds(3000)) : nil
    }
    var push = PushScene.quick
    push.lifetime = 1 << 40
    try await PushScene.withChat(.sqlite, sender, push) { (world) async throws in
      #expect(try await World.eventually { sender.tries("works") + sender.tries("fails") > 0 })
      for _ in 0..<3 { world.clock.advance(milliseconds: 300_000) }
      #expect(sender.trials == 0)
      // Its time begins when a task looks after the outage.
      #expect(
        try await World.eventually {
          world.clock.advance(milliseconds: 10_000)
          return sender.trials == 1
        })
      for _ in 0..<7 { world.clock.advance(milliseconds: 300_000) }
      #expect(sender.trials == 1)
      isDown.withLock { $0 = false }
      #expect(
        try await World.eventually {
          world.clock.advance(milliseconds: 10_000)
          return sender.taken.count == 2
        })
    }
    #expect(sender.trialPayloads == [#"{"aps":{}}"#, #"{"aps":{}}"#])
  }

  @Test(
    "a deferred push delays no other device and repeats none",
    arguments: TestEngine.available)
  func putOff(_ engine: TestEngine) async throws {
    let sender = FaultySender { device, _ in device == "fails" ? PushFailure.delayed(status: 429) : nil }
    var push = PushSettings()
    push.retryPause = .seconds(3600)
    try await PushScene.withChat(engine, sender, push, chats: 20, chatsElsewhere: 20) { (world) async throws in
      #expect(try await PushScene.isEmpty(world))
    }
    #expect(sender.taken == Array(repeating: "works", count: 40) && sender.tries("fails") == 1)
  }

  @Test("beyond the limit of deferred pushes, further ones are dropped and delay no chat")
  func putOffFull() async throws {
    let sender = FaultySender { device, _ in device == "fails" ? PushFailure.delayed(status: 429) : nil }
    var push = PushSettings()
    (push.retryPause, push.maxPutOff) = (.seconds(3600), 0)
    // More chats than are pushed at one time.
    try await PushScene.withChat(.sqlite, sender, push, chats: 40, chatsElsewhere: 40) { (world) async throws in
      #expect(try await PushScene.isEmpty(world))
    }
    #expect(sender.told("works").count == 80)
  }

  @Test("a partly pushed chat is released after an outage as long as a claim")
  func givenBackLate() async throws {
    guard TestEngine.available.contains(.postgres) else { return }
    let isTold = Mutex(false)
    let sender = FaultySender { device, _ in
      guard device == "fails" else {
        isTold.withLock { $0 = true }
        return nil
      }
      while !isTold.withLock(\.self) { await Task.yield() }
      return Unreachable()
    } onTrial: {
      Unreachable()
    }
    try await PushScene.withChat(.postgres, sender) { (world) async throws in
      #expect(try await World.eventually { sender.trials > 2 && sender.told("works").count == 1 })
      // The claim is renewed all the time; zero once it is given back.
      @Sendable func claim() async throws -> Int64 {
        try await world.server.madang.database.read { transaction in
          try transaction.first("SELECT claimed_until FROM push_outbox") { try $0.get("claimed_until") } ?? -1
        }
      }
      for _ in 0..<12 {
        let before = try await claim()
        world.clock.advance(milliseconds: Madang.pushClaim / 12 + 1)
        #expect(try await World.eventually { try await claim() != before })
      }
      #expect(try await World.eventually { try await claim() == 0 })
    }
  }

  @Test("deferred pushes of a device are sent in order")
  func putOffOrder() async throws {
    let sender = FaultySender { device, number in
      device == "fails" && number < 4 ? PushFailure.delayed(status: 429) : nil
    }
    try await PushScene.withChat(.sqlite, sender, chats: 5) { (world) async throws in
      #expect(try await World.eventually { sender.taken.count == 10 })
    }
    #expect(sender.told("fails") == (0..<5).map { "\($0)" } && sender.told("works") == (0..<5).map { "\($0)" })
  }

  @Test("deferred pushes are limited, by device and in all")
  func putOffLimits() {
    func notification(_ device: Int) -> PushNotification {
      PushNotification(
        device: PushDevice(token: "\(device)", edition: "", person: 1, registeredAt: 0), payload: [], chat: "",
        postedAt: 0)
    }
    let putOff = PutOffPushes(limit: 15)
    let ofOne = (0..<12).map { _ in putOff.add(notification(1)) }
    #expect(ofOne == Array(repeating: true, count: 10) + [false, false])
    let ofOthers = (2..<8).map { putOff.add(notification($0)) }
    #expect(ofOthers == Array(repeating: true, count: 5) + [false])
    #expect(putOff.takeNew().count == 6 && putOff.takeNew().isEmpty)
    for _ in 0..<9 { #expect(putOff.removeFirst(of: "1")) }
    #expect(!putOff.removeFirst(of: "1") && !putOff.isWaiting("1") && putOff.add(notification(1)))
  }

  @Test(
    "while a provider is silent, chats wait and none is lost",
    arguments: TestEngine.available)
  func silence(_ engine: TestEngine) async throws {
    let isSilent = Mutex(true)
    let sender = FaultySender {
      _, _ in
      isSilent.withLock(\.self) ? PushFailure.unanswered : nil
    } onTrial: {
      isSilent.withLock(\.self) ? PushFailure.unanswered : nil
    }
    try await PushScene.withChat(engine, sender, chats: 5, chatsElsewhere: 70) { (world) async throws in
      #expect(try await World.eventually { sender.trials > 5 })
      #expect(sender.tries("fails") <= 1 && sender.tries("works") <= 2)
      #expect(try await world.server.madang.waitingPushes() == 75)
      isSilent.withLock { $0 = false }
      #expect(try await PushScene.isEmpty(world))
    }
    #expect(sender.told("fails").count == 5 && sender.told("works").count == 75)
  }

  @Test("a chat whose provider stays out of reach waits in the database, until its time is over")
  func lifetime() async throws {
    let sender = FaultySender { _, _ in
      Unreachable()
    } onTrial: {
      Unreachable()
    }
    var push = PushScene.quick
    push.lifetime = 60_000
    try await PushScene.withChat(.sqlite, sender, push) { (world) async throws in
      #expect(try await World.eventually { sender.trials > 3 })
      #expect(try await world.server.madang.waitingPushes() == 1)
      world.clock.advance(milliseconds: 60_001)
      #expect(try await PushScene.isEmpty(world))
    }
  }
}
