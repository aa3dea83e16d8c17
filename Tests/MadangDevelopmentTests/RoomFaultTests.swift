import Foundation
import MadangAPI
import MadangClient
import MadangDevelopment
import MadangOperations
import MadangServer
import NIOCore
import SocketIOClient
import Support
import Synchronization
import Testing

@Suite("Rooms during faults", .timeLimit(.minutes(5)))
struct RoomFaultTests {
  @Test("a room survives faults of its calls", arguments: RoomFaultCase.ofRequests)
  func requests(_ fault: RoomFaultCase) async throws { try await survives(fault, .sqlite) }

  @Test(
    "a room sends each chat once, even if the answer is lost after the commit", arguments: RoomFaultCase.afterCommit,
    TestEngine.available)
  func afterCommit(_ fault: RoomFaultCase, _ engine: TestEngine) async throws { try await survives(fault, engine) }

  @Test("a room survives faults of its socket", arguments: RoomFaultCase.ofSockets)
  func sockets(_ fault: RoomFaultCase) async throws { try await survives(fault, .sqlite) }

  /// A person's room and another person talk while faults affect the room. In the end it shows the server's chats once and
  /// in order, and the server has its chats once.
  private func survives(_ fault: RoomFaultCase, _ engine: TestEngine) async throws {
    try await Self.withRoom(on: engine) { kit, scene, other in
      if fault.isEarly { _ = try await kit.faults.add(fault.rules(for: scene.email)) }
      let room = try await scene.room()
      try await room.running {
        var screen = RoomScreen(room)
        try await screen.wait { $0.state == .live }
        if !fault.isEarly { _ = try await kit.faults.add(fault.rules(for: scene.email)) }
        var expected: [String] = []
        for number in 0..<10 {
          expected.append("theirs \(number)")
          try await post("theirs \(number)", by: other, to: scene)
          guard number.isMultiple(of: 2) else { continue }
          expected.append("mine \(number)")
          try await room.send("mine \(number)")
        }
        try await screen.wait { screen in expected.allSatisfy { screen.counts[$0] != nil } && screen.pending.isEmpty }
        // A socket that ended on a busy machine may have left a rule nothing to apply to.
        for number in 10..<60 where kit.faults.reports.contains(where: { $0.applied == 0 }) {
          expected.append("theirs \(number)")
          try await post("theirs \(number)", by: other, to: scene)
          try await screen.wait { $0.counts["theirs \(number)"] != nil }
        }
        for report in kit.faults.reports { #expect(report.applied > 0, "\(report)") }
        kit.faults.removeAll()
        try await other.post("the end", to: scene.address)
        try await screen.wait { $0.counts["the end"] != nil }
        let history = try await other.history(of: scene.address)
        #expect(screen.chats == history)
        #expect(history.map(\.content).sorted() == (expected + ["the end"]).sorted())
        // The account has no other client.
        let review = try await kit.journal.review(of: scene.email)
        #expect(review.findings == [])
      }
    }
  }

  /// Posts once, also while the server restarts.
  private func post(_ content: String, by other: MadangClient, to scene: RoomScene) async throws {
    while true {
      do {
        let known = try await other.history(of: scene.address)
        if !known.contains(where: { $0.content == content }) { try await other.post(content, to: scene.address) }
        return
      } catch let error as MadangError where error.isPassing {
        try await Task.sleep(for: .milliseconds(50))
      }
    }
  }

  @Test("a client cannot notice a chat that is lost or reordered in an unbroken connection")
  func outOfOrder() async throws {
    // The contract numbers no events: within a connection a client can only trust the order.
    let overtaken = FaultEffect(.delay) {
      $0.milliseconds = 600_000
      $0.overtaken = true
    }
    for effect in [FaultEffect(.drop), FaultEffect(.reorder) { $0.milliseconds = 600_000 }, overtaken] {
      try await Self.withRoom(on: .sqlite, pingInterval: 25) { kit, scene, other in
        let room = try await scene.room()
        try await room.running {
          var screen = RoomScreen(room)
          try await screen.wait { $0.state == .live }
          try await kit.faults.add(
            FaultRule(
              effect,
              match: FaultMatch {
                $0.event = "channel"
                $0.account = scene.email
                $0.nth = 1
              }))
          let chats = [
            try await other.post("first", to: scene.address), try await other.post("second", to: scene.address),
          ]
          try await screen.wait { $0.counts["second"] == 1 }
          let third = try await other.post("third", to: scene.address)
          try await screen.wait { $0.counts["third"] == 1 }
          #expect(screen.chats == [chats[1], third], "\(effect)")
        }
      }
    }
  }

  /// Runs `body` with a person who has a room at a server with a kit, and another member who posts to it.
  private static func withRoom(
    on engine: TestEngine, pingInterval: Int = 1,
    _ body: @escaping @Sendable (_ kit: TestKit, _ scene: RoomScene, _ other: MadangClient) async throws -> Void
  ) async throws {
    var settings = Support.World.settings(\.callLimits.requests, 0)
    settings.callLimits.refreshes = 0
    (settings.sockets.pingInterval, settings.sockets.pingTimeout) = (pingInterval, pingInterval)
    let made = Mutex<TestKit?>(nil)
    try await Support.World.run(engine, settings: settings) { clock in
      let kit = TestKit(clock: clock)
      made.withLock { $0 = kit }
      return kit
    } _: { world in
      let held = made.withLock { $0 }
      let kit = try #require(held)
      try await RoomScene.run(through: world.url, in: world.data, { $0.backoff.longest = .milliseconds(500) }) {
        scene in
        let other = MadangClient(configuration: .init(server: world.url, apiKey: DevelopmentKey.october2024))
        let result: Result<Void, any Error>
        do {
          let email = "joon@example.com"
          try await other.signUp(email: email, password: RoomScene.password, nickname: "Joon")
          guard case .channel(_, let workspace) = scene.address else { return }
          _ = try await scene.person.invite(email, to: workspace)
          // Who reads a channel joins it.
          _ = try await other.history(of: scene.address)
          result = .success(try await body(kit, scene, other))
        } catch {
          result = .failure(error)
        }
        try? await other.close()
        try result.get()
      }
    }
  }
}
