import Foundation
import MadangAPI
import MadangClient
import Support
import Testing

@Suite("Sending while answers go wrong", .serialized, .timeLimit(.minutes(5)))
struct SendingFaultsTests {
  /// The bytes of a refusal.
  static func refusal(_ code: ErrorCode) -> String {
    let body = #"{"errorCode":"\#(code.rawValue)"}"#
    return """
      HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\ncontent-length: \(body.utf8.count)\r\n\r\n\(body)
      """
  }

  @Test("a chat whose answer was lost is not sent again if the search for it fails", arguments: TestEngine.available)
  func failedCheck(_ engine: TestEngine) async throws {
    try await RoomScene.onFaultyNetwork(engine) { network, scene, elsewhere in
      let room = try await scene.room()
      var screen = RoomScreen(room)
      try await room.running {
        try await screen.wait { $0.state == .live }
        // So that only the search can find it.
        network.areSocketsSilent = true
        network.order(.cut(after: 0), "POST", containing: "/chats")
        network.order(.answered(Self.refusal(.tooManyCalls)), "GET", containing: "/chats")
        try await room.send("said once")
        await network.fault()
        await network.fault()
        network.release()
        try await screen.wait { if case .acknowledged = $0.pending.first?.status { true } else { false } }
      }
      #expect(network.requests("POST", containing: "/chats").count == 1)
      #expect(try await elsewhere.history(of: scene.address).map(\.content) == ["said once"])
    }
  }

  @Test(
    "a chat stays stored until the server has answered, even if one with the same text appears",
    arguments: TestEngine.available)
  func earlyEcho(_ engine: TestEngine) async throws {
    try await RoomScene.onFaultyNetwork(engine) { network, scene, elsewhere in
      try await refusedAfterEcho(network, scene, elsewhere)
      #expect(try await pendingAfterRestart(scene) == ["twice"])
    }
  }

  /// The chats that are still to be sent after a restart. Opens the room repeatedly until all former objects of it are freed, which happens
  /// a moment after their last use.
  private func pendingAfterRestart(_ scene: RoomScene) async throws -> [String] {
    let deadline = ContinuousClock.now + .seconds(30)
    while true {
      var screen = RoomScreen(try await scene.room())
      try await screen.open()
      if !screen.pending.isEmpty || .now > deadline { return screen.pending.map(\.content) }
      await Task.yield()
    }
  }

  /// Sends a text that another device sends at the same time; the server refuses it here.
  private func refusedAfterEcho(_ network: FaultyNetwork, _ scene: RoomScene, _ elsewhere: MadangClient) async throws {
    let room = try await scene.room()
    var screen = RoomScreen(room)
    try await room.running {
      try await screen.wait { $0.state == .live }
      network.order(.answered(Self.refusal(.badRequest)), "POST", containing: "/chats")
      try await room.send("twice")
      await network.fault()
      try await elsewhere.post("twice", to: scene.address)
      try await screen.wait { $0.chats.count == 1 }
      #expect(screen.pending.isEmpty, "nobody sees it twice")
      network.release()
      try await screen.wait { $0.pending.first?.hasFailed == true }
    }
  }

  @Test(
    "a room that is stopped during a post keeps the chat pending and does not send it twice",
    arguments: TestEngine.available)
  func stoppedWhilePosting(_ engine: TestEngine) async throws {
    try await RoomScene.onFaultyNetwork(engine) { network, scene, elsewhere in
      let room = try await scene.room()
      var screen = RoomScreen(room)
      try await room.running {
        try await screen.wait { $0.state == .live }
        network.areSocketsSilent = true
        network.order(.stalled(after: 0), "POST", containing: "/chats")
        try await room.send("said once")
        for try await event in elsewhere.watch([scene.address], after: [scene.address: RoomAddress.beginning]) {
          if case .chat = event { break }
        }
      }
      try await screen.wait { $0.state == .stopped }
      #expect(screen.pending.map(\.status) == [.waiting])
      network.areSocketsSilent = false
      try await room.running { try await screen.wait { $0.chats.count == 1 && $0.pending.isEmpty } }
      #expect(network.requests("POST", containing: "/chats").count == 1)
      let history = try await elsewhere.history(of: scene.address)
      #expect(history == screen.chats)
    }
  }
}
