import Foundation
import MadangAPI
import MadangClient
import NIOCore
import Support
import Testing

@Suite("Sending while a long history is read for the first time", .serialized, .timeLimit(.minutes(5)))
struct EarlySendingTests {
  @Test(
    "sent chats are posted before the history has arrived, and keep their place", arguments: TestEngine.available)
  func early(_ engine: TestEngine) async throws {
    try await RoomScene.onFaultyNetwork(engine) { network, scene, elsewhere in
      try await fill(scene.address, by: elsewhere)
      _ = try await whileHistoryIsHeld(of: scene, on: network) { room, screen in
        try await room.send("early")
        try await screen.wait { $0.hasAcknowledged("early") }
        #expect(screen.state == .connecting)
        #expect(screen.chats.count == 10)
        try await elsewhere.post("answer", to: scene.address)
        network.release()
        try await screen.wait { $0.state == .live && $0.chats.count == 12 && $0.pending.isEmpty }
        try await isComplete(screen, room, scene, elsewhere, ending: ["early", "answer"])
      }
      #expect(network.requests("POST", containing: "/chats").count == 1)
    }
  }

  @Test("an older chat with the same text is not taken for one without an answer", arguments: TestEngine.available)
  func sameWords(_ engine: TestEngine) async throws {
    try await RoomScene.onFaultyNetwork(engine) { network, scene, elsewhere in
      try await fill(scene.address, by: elsewhere)
      _ = try await whileHistoryIsHeld(of: scene, on: network) { room, screen in
        network.order(.answered(SendingFaultsTests.refusal(.serverFailure)), "POST", containing: "/chats")
        try await room.send("chat 59")
        await network.fault()
        await network.fault()
        network.release()
        try await screen.wait { $0.state == .live && $0.chats.count == 11 && $0.pending.isEmpty }
        try await isComplete(screen, room, scene, elsewhere, ending: ["chat 59"])
      }
      #expect(network.requests("POST", containing: "/chats").count == 2)
    }
  }

  @Test("the person's own chat is shown while later chats are still being read", arguments: TestEngine.available)
  func stoppedAndRunAgain(_ engine: TestEngine) async throws {
    try await RoomScene.onFaultyNetwork(engine) { network, scene, elsewhere in
      try await fill(scene.address, by: elsewhere)
      let (room, shown) = try await whileHistoryIsHeld(of: scene, on: network) { room, screen in
        try await room.send("early")
        try await screen.wait { $0.hasAcknowledged("early") }
      }
      var screen = shown
      try await screen.wait { $0.state == .stopped }
      // Long enough for the history to stop among these chats.
      let later = (0..<30).map { "later \($0) " + String(repeating: "-", count: 4000) }
      var chats: [Chat] = []
      for text in later { chats.append(try await elsewhere.post(text, to: scene.address)) }
      holdHistory(of: scene, on: network, after: 100_000)
      try await room.running {
        try await screen.wait { $0.state == .connecting }
        _ = try await room.chats(before: chats[3].createdAt)
        var now = RoomScreen(room)
        try await now.open()
        #expect(now.chats.count == 10)
        #expect(now.hasAcknowledged("early"))
        try await room.send("again")
        try await screen.wait { $0.hasAcknowledged("again") }
        network.release()
        try await screen.wait { $0.state == .live && $0.chats.count == 42 && $0.pending.isEmpty }
        try await isComplete(screen, room, scene, elsewhere, ending: ["early"] + later + ["again"])
      }
    }
  }

  @Test(
    "a program that ended with a chat in doubt finds it, and continues sending, before the history has arrived",
    arguments: TestEngine.available)
  func killed(_ engine: TestEngine) async throws {
    try await RoomScene.onFaultyNetwork(engine) { network, scene, elsewhere in
      try await fill(scene.address, by: elsewhere)
      try await endInDoubt(network, scene, elsewhere)
      for number in 0..<12 { try await elsewhere.post("later \(number)", to: scene.address) }
      holdHistory(of: scene, on: network)
      let room = try await scene.room()
      var screen = RoomScreen(room)
      try await screen.open()
      #expect(screen.pending.map(\.content) == ["early"])
      try await room.running {
        try await screen.wait { !$0.chats.isEmpty && $0.pending.isEmpty }
        try await room.send("again")
        try await screen.wait { $0.hasAcknowledged("again") }
        #expect(screen.state == .connecting)
        network.release()
        try await screen.wait { $0.state == .live && $0.pending.isEmpty }
        try await isComplete(
          screen, room, scene, elsewhere, ending: ["early"] + (0..<12).map { "later \($0)" } + ["again"])
      }
      #expect(network.requests("POST", containing: "/chats").count == 2)
    }
  }

  /// Opens a room for the first time and runs `body` after its last page is shown, while the rest of its history is held back.
  private func whileHistoryIsHeld(
    of scene: RoomScene, on network: FaultyNetwork, _ body: (Room, inout RoomScreen) async throws -> Void
  ) async throws -> (Room, RoomScreen) {
    holdHistory(of: scene, on: network)
    let room = try await scene.room()
    var screen = RoomScreen(room)
    try await room.running {
      try await screen.wait { !$0.chats.isEmpty }
      try await body(room, &screen)
    }
    return (room, screen)
  }

  /// Ends a room whose history is still loading and whose first chat was posted without an answer.
  private func endInDoubt(_ network: FaultyNetwork, _ scene: RoomScene, _ elsewhere: MadangClient) async throws {
    _ = try await whileHistoryIsHeld(of: scene, on: network) { room, screen in
      network.order(.stalled(after: 0), "POST", containing: "/chats")
      try await room.send("early")
      let last = try #require(screen.chats.last)
      for try await event in elsewhere.watch([scene.address], after: [scene.address: last.createdAt]) {
        if case .chat = event { break }
      }
    }
  }

  private func fill(_ room: RoomAddress, by person: MadangClient) async throws {
    for number in 0..<60 { try await person.post("chat \(number)", to: room) }
  }

  /// Delays the rest of the next answer with the room's chats, which starts where the local history ends.
  private func holdHistory(of scene: RoomScene, on network: FaultyNetwork, after count: Int = 12_000) {
    network.order(.held(after: count), "GET", containing: "\(scene.address.id)/chats")
  }

  /// Expects the room to equal the server's, and to end with these chats after the first ones.
  private func isComplete(
    _ screen: RoomScreen, _ room: Room, _ scene: RoomScene, _ elsewhere: MadangClient, ending: [String]
  ) async throws {
    let first = try #require(screen.chats.first)
    let older = try await room.chats(before: first.createdAt, limit: 1000)
    let history = try await elsewhere.history(of: scene.address)
    #expect(older + screen.chats == history)
    #expect(history.map(\.content) == (0..<60).map { "chat \($0)" } + ending)
  }
}

extension RoomScreen {
  /// Whether the server has acknowledged a chat of the person that is not among the room's chats yet.
  func hasAcknowledged(_ content: String) -> Bool {
    pending.contains { if case .acknowledged = $0.status { $0.content == content } else { false } }
  }
}
