import Foundation
import MadangAPI
import MadangClient
import Support
import Testing

@Suite("Sending while answers go wrong", .serialized, .timeLimit(.minutes(1)))
struct SendingFaultsTests {
  /// What a refusal looks like on the wire.
  static func refusal(_ code: ErrorCode) -> String {
    let body = #"{"errorCode":"\#(code.rawValue)"}"#
    return """
      HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\ncontent-length: \(body.utf8.count)\r\n\r\n\(body)
      """
  }

  @Test("a chat whose answer got lost is not sent again because looking for it fails", arguments: TestEngine.available)
  func failedCheck(_ engine: TestEngine) async throws {
    try await RoomScene.onFaultyNetwork(engine) { network, scene, elsewhere in
      let room = try await scene.room()
      var screen = RoomScreen(room)
      try await room.running {
        try await screen.wait { $0.state == .live }
        // So that only looking can tell.
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
    "a chat stays stored until the server has answered, even if one with the same words appears",
    arguments: TestEngine.available)
  func earlyEcho(_ engine: TestEngine) async throws {
    try await RoomScene.onFaultyNetwork(engine) { network, scene, elsewhere in
      try await refusedAfterEcho(network, scene, elsewhere)
      #expect(try await pendingAfterRestart(scene) == ["twice"])
    }
  }

  /// What is still to be sent when the program starts again: opens the room until no former object of it is left, as these are
  /// freed a moment after their last use.
  private func pendingAfterRestart(_ scene: RoomScene) async throws -> [String] {
    let deadline = ContinuousClock.now + .seconds(30)
    while true {
      var screen = RoomScreen(try await scene.room())
      try await screen.open()
      if !screen.pending.isEmpty || .now > deadline { return screen.pending.map(\.content) }
      await Task.yield()
    }
  }

  /// Sends what another device says at the same time; the server refuses it here.
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
    "a room stopped in mid-post keeps the chat waiting, and does not send it twice",
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
