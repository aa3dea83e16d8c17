import Foundation
import MadangAPI
import MadangClient
import Support
import Testing

@Suite("Rooms while answers go wrong", .serialized, .timeLimit(.minutes(5)))
struct RoomFaultsTests {
  /// Posts chats and returns them.
  private func post(_ count: Int, to scene: RoomScene, by person: MadangClient) async throws -> [Chat] {
    var chats: [Chat] = []
    for number in 0..<count { chats.append(try await person.post("chat \(number)", to: scene.address)) }
    return chats
  }

  @Test("an answer that stops in the middle of its body fails after the read time-out", arguments: TestEngine.available)
  func stoppedAnswer(_ engine: TestEngine) async throws {
    try await RoomScene.onFaultyNetwork(engine, readTimeout: .seconds(20)) { network, scene, _ in
      network.order(.stalled(after: 5), "GET", containing: "/me")
      let failure = await #expect(throws: MadangError.self) { try await scene.person.me() }
      #expect(failure?.isPassing == true)
      let again = try await scene.person.me()
      #expect(again.userID == scene.account)
    }
  }

  @Test(
    "a history that is cut off or stopped in the middle continues after the last complete page",
    arguments: TestEngine.available, [FaultyNetwork.Fault.held(after: 12_000), .stalled(after: 12_000)])
  func interruptedHistory(_ engine: TestEngine, _ fault: FaultyNetwork.Fault) async throws {
    try await RoomScene.onFaultyNetwork(engine, readTimeout: .seconds(20)) { network, scene, elsewhere in
      let chats = try await post(60, to: scene, by: elsewhere)
      network.order(fault, "GET", containing: "cursor_date=\(RoomAddress.beginning.prefix(10))")
      let room = try await scene.room()
      var screen = RoomScreen(room)
      try await room.running {
        try await screen.wait { $0.state != .stopped }
        // The first page has arrived. Pages that were not requested yet are lost with a connection.
        _ = try await room.chats(before: chats[9].createdAt)
        network.cut()
        try await screen.wait { $0.state == .live }
      }
      // Requests for the end of the history start at other dates, including the last chat's.
      let asked = network.requests("GET", containing: "cursor_date").filter { $0.contains(scene.address.id) }
      let known = try #require(
        asked.compactMap { line in
          chats.dropLast().lastIndex { line.replacing("%3A", with: ":").contains($0.createdAt) }
        }.first,
        "\(asked)")
      #expect(known >= 9 && known % 10 == 9, "\(known)")
      let older = try await older(than: screen, in: room)
      #expect(older + screen.chats == chats)
    }
  }

  @Test("a first opening shows the last page while the rest is still loading", arguments: TestEngine.available)
  func firstOpening(_ engine: TestEngine) async throws {
    try await RoomScene.onFaultyNetwork(engine) { network, scene, elsewhere in
      let chats = try await post(60, to: scene, by: elsewhere)
      network.order(.held(after: 12_000), "GET", containing: "cursor_date=\(RoomAddress.beginning.prefix(10))")
      let room = try await scene.room()
      var screen = RoomScreen(room)
      try await room.running {
        try await screen.wait { !$0.chats.isEmpty }
        #expect(screen.chats == Array(chats[50...]))
        #expect(screen.state == .connecting)
        async let waiting = room.chats(before: chats[50].createdAt)
        network.release()
        let page = try await waiting
        #expect(page == Array(chats[40..<50]), "what comes before is waited for")
        try await screen.wait { $0.state == .live }
        #expect(screen.chats == Array(chats[50...]))
        let last = try await elsewhere.post("the last", to: scene.address)
        try await screen.wait { $0.chats.count == 11 }
        let older = try await older(than: screen, in: room)
        #expect(older + screen.chats == chats + [last])
      }
    }
  }

  @Test("a first opening in one request also starts with the last page", arguments: TestEngine.available)
  func quickFirstOpening(_ engine: TestEngine) async throws {
    try await RoomScene.onFaultyNetwork(engine) { _, scene, elsewhere in
      let chats = try await post(25, to: scene, by: elsewhere)
      let room = try await scene.room()
      var screen = RoomScreen(room)
      try await room.running { try await screen.wait { $0.state == .live } }
      #expect(screen.chats == Array(chats[15...]))
      let older = try await older(than: screen, in: room)
      #expect(older + screen.chats == chats)
    }
  }

  /// The local history before the chats on a screen.
  private func older(than screen: RoomScreen, in room: Room) async throws -> [Chat] {
    var chats: [Chat] = []
    var first = screen.chats.first
    while let date = first?.createdAt {
      let page = try await room.chats(before: date)
      chats = page + chats
      first = page.first
    }
    return chats
  }

  @Test("watching ends without an error when it is cancelled, at any point", arguments: TestEngine.available)
  func cancelledWatch(_ engine: TestEngine) async throws {
    try await RoomScene.onFaultyNetwork(engine) { network, scene, elsewhere in
      _ = try await post(3, to: scene, by: elsewhere)
      for part in ["/me", "/chats"] {
        let cursors = part == "/me" ? [:] : [scene.address: RoomAddress.beginning]
        network.order(.stalled(after: 5), "GET", containing: part)
        let watching = Task {
          for try await event in scene.person.watch([scene.address], after: cursors) { Issue.record("\(event)") }
        }
        await network.fault()
        watching.cancel()
        try await watching.value
      }
    }
  }
}
