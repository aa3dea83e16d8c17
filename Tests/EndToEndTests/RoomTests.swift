import Foundation
import MadangAPI
import MadangClient
import NIOCore
import Support
import Testing

@Suite("Rooms: local history, live chats, sending", .serialized, .timeLimit(.minutes(5)))
struct RoomTests {
  /// Runs `body` with a live room, its screen, and the network between room and server. The client gives up a call
  /// after 15 s, then looks for the chat, and opens another socket after 20 s of silence: a busy machine pauses less.
  private func onBadNetwork(
    _ body: (_ network: Proxy, _ scene: RoomScene, _ room: Room, _ screen: inout RoomScreen) async throws -> Void
  ) async throws {
    try await TestServer.run(environment: ["MADANG_SOCKET_PING_INTERVAL": "1", "MADANG_SOCKET_PING_TIMEOUT": "20"]) {
      server in
      try await Proxy.run(to: server.port) { proxy in
        try await RoomScene.run(
          server, through: proxy.url, { ($0.callTimeout, $0.settleTime) = (.seconds(15), .seconds(3)) }
        ) { scene in
          let room = try await scene.room()
          try await room.running {
            var screen = RoomScreen(room)
            try await screen.wait { $0.state == .live }
            try await body(proxy, scene, room, &screen)
          }
        }
      }
    }
  }

  @Test("a room shows its local history without the server, then missed chats, then new ones")
  func localFirst() async throws {
    try await TestServer.run { server in
      try await RoomScene.run(server) { scene in
        let first = try await scene.person.post("first", to: scene.address)
        let room = try await scene.room()
        try await room.running {
          var screen = RoomScreen(room)
          try await screen.wait { $0.state == .live }
          #expect(screen.chats == [first])
        }
        server.program.signal(SIGKILL)
        _ = await server.program.status()

        let again = try await scene.room()
        var screen = RoomScreen(again)
        try await screen.open()
        #expect(screen.chats == [first])
        #expect(screen.state == .stopped)
        try await again.running {
          try await screen.wait { if case .interrupted = $0.state { true } else { false } }
          let second = try await server.restarted()
          let missed = try await scene.person.post("missed", to: scene.address)
          try await screen.wait { $0.state == .live && $0.chats.count == 2 }
          #expect(screen.chats == [first, missed])
          let live = try await scene.person.post("live", to: scene.address)
          try await screen.wait { $0.chats.count == 3 }
          #expect(screen.chats == [first, missed, live])
          second.program.signal(SIGTERM)
          #expect(await second.program.status() == 0)
        }
      }
    }
  }

  @Test("a room opens with its last page; older chats are loaded page by page")
  func pages() async throws {
    try await TestServer.run { server in
      try await RoomScene.run(server, { $0.roomPage = 10 }) { scene in
        for number in 0..<25 { try await scene.person.post("chat \(number)", to: scene.address) }
        let room = try await scene.room()
        try await room.running {
          var screen = RoomScreen(room)
          try await screen.wait { $0.state == .live }
          #expect(screen.chats.count == 10)
        }
        var screen = RoomScreen(try await scene.room())
        try await screen.open()
        #expect(screen.chats.map(\.content) == (15..<25).map { "chat \($0)" })
        let older = try await room.chats(before: try #require(screen.chats.first).createdAt)
        #expect(older.map(\.content) == (5..<15).map { "chat \($0)" })
        let oldest = try await room.chats(before: try #require(older.first).createdAt)
        #expect(oldest.map(\.content) == (0..<5).map { "chat \($0)" })
        #expect(try await room.chats(before: try #require(oldest.first).createdAt).isEmpty)
      }
    }
  }

  @Test("a sent chat is pending at once, and becomes a chat of the room once and in order")
  func sending() async throws {
    try await TestServer.run { server in
      try await RoomScene.run(server) { scene in
        let room = try await scene.room()
        let file = server.folder.appending(path: "picture.png")
        try Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 1, 2, 3]).write(to: file)
        var screen = RoomScreen(room)
        try await screen.open()
        let first = try await room.send("same")
        try await room.send("same")
        try await room.send("", files: [file])
        try await screen.wait { $0.pending.count == 3 }
        #expect(screen.pending.first.map(\.id) == first)
        #expect(screen.pending.allSatisfy { $0.status == .waiting })
        try await room.running {
          try await screen.wait { $0.chats.count == 3 && $0.pending.isEmpty }
        }
        #expect(screen.chats.map(\.content) == ["same", "same", ""])
        #expect(screen.chats.last?.files.count == 1)
        #expect(try await scene.person.history(of: scene.address) == screen.chats)
      }
    }
  }

  @Test("a direct message behaves like a channel: history, new chats and sent chats appear once and in order")
  func directMessage() async throws {
    try await TestServer.run { server in
      try await RoomScene.run(server) { scene in
        try await server.withPerson("Joon") { joon in
          guard case .channel(_, let workspace) = scene.address else { return }
          _ = try await scene.person.invite("joon@example.com", to: workspace)
          let opened = try await scene.person.openDirectMessage(with: try await joon.me().userID, in: workspace)
          let address = RoomAddress.directMessage(id: opened.roomID, workspace: workspace)
          try await joon.post("before", to: address)
          let room = try await Room(address, client: scene.person, store: scene.store)
          var screen = RoomScreen(room)
          try await room.running {
            try await screen.wait { $0.state == .live && $0.chats.map(\.content) == ["before"] }
            try await room.send("answer")
            try await screen.wait { $0.chats.count == 2 && $0.pending.isEmpty }
            try await joon.post("after", to: address)
            try await screen.wait { $0.chats.count == 3 }
          }
          #expect(screen.chats.map(\.content) == ["before", "answer", "after"])
          #expect(try await joon.history(of: address) == screen.chats)
        }
      }
    }
  }

  @Test("a refused chat fails with the code, and later ones are sent; it can be retried or given up")
  func refused() async throws {
    try await TestServer.run { server in
      try await RoomScene.run(server) { scene in
        let room = try await scene.room()
        let bad = try await room.send("   ")
        try await room.send("good")
        try await room.running {
          var screen = RoomScreen(room)
          try await screen.wait { $0.chats.map(\.content) == ["good"] && $0.pending.count == 1 }
          let refused = screen.pending.first?.status
          guard case .failed(let error) = refused, error.code == .badRequest else {
            Issue.record("it is \(String(describing: refused))")
            return
          }
          await room.retry(bad)
          try await screen.wait { $0.pending.first?.status != refused }
          try await screen.wait { $0.pending.first?.status == refused }
          try await room.discard(bad)
          try await screen.wait { $0.pending.isEmpty }
        }
      }
    }
  }

  @Test("a chat whose answer was lost is found in the room and not posted again")
  func lostAnswer() async throws {
    try await onBadNetwork { (proxy, scene, room, screen) async throws in
      proxy.loseAnswers()
      try await room.send("said once")
      try await screen.wait { $0.chats.count == 1 && $0.pending.isEmpty }
      try await room.send("and this")
      try await screen.wait { $0.chats.count == 2 && $0.pending.isEmpty }
      #expect(try await scene.person.history(of: scene.address).map(\.content) == ["said once", "and this"])
    }
  }

  @Test("a half-open connection is detected: chats sent into it are sent again, and missed chats are loaded")
  func halfOpen() async throws {
    try await onBadNetwork { (proxy, scene, room, screen) async throws in
      proxy.forget()
      try await room.send("into the void")
      try await screen.wait { $0.chats.count == 1 && $0.pending.isEmpty }
      #expect(try await scene.person.history(of: scene.address) == screen.chats)
    }
  }

  @Test("chats that could not be sent before the program ended are sent once by its next run")
  func outboxSurvives() async throws {
    try await TestServer.run { server in
      try await RoomScene.run(server) { scene in
        var room: Room? = try await scene.room()
        try await room?.send("left behind")
        room = nil
        let next = try await scene.room()
        try await next.running {
          var screen = RoomScreen(next)
          try await screen.wait { $0.chats.count == 1 && $0.pending.isEmpty }
          #expect(screen.chats.map(\.content) == ["left behind"])
        }
        #expect(try await scene.person.history(of: scene.address).count == 1)
      }
    }
  }

  @Test("two objects of one room share its history, and each sends its own chats")
  func twoObjects() async throws {
    try await TestServer.run { server in
      try await RoomScene.run(server) { scene in
        let (one, other) = (try await scene.room(), try await scene.room())
        try await one.send("from one")
        try await other.send("from the other")
        let third = try await scene.room()
        var nothing = RoomScreen(third)
        try await nothing.open()
        #expect(nothing.pending.isEmpty, "what living objects send is not taken from them")
        try await one.running {
          try await other.running {
            var (left, right) = (RoomScreen(one), RoomScreen(other))
            try await left.wait { $0.chats.count == 2 && $0.pending.isEmpty }
            try await right.wait { $0.chats.count == 2 && $0.pending.isEmpty }
            #expect(left.chats == right.chats)
          }
        }
      }
    }
  }

  @Test("running ends with the reason when the session has ended")
  func sessionOver() async throws {
    try await TestServer.run { server in
      try await RoomScene.run(server) { scene in
        let room = try await scene.room()
        try await server.advanceClock(seconds: 40 * 86_400)
        await #expect(throws: MadangError.self) { try await room.run() }
        var screen = RoomScreen(room)
        try await screen.open()
        #expect(screen.state == .stopped)
      }
    }
  }

  @Test("unread counts of all rooms arrive together, each since its last read; deleted rooms are left out")
  func unread() async throws {
    try await TestServer.run { server in
      try await RoomScene.run(server) { scene in
        guard case .channel(_, let workspace) = scene.address else { return }
        let other = server.client()
        try await other.signUp(email: "joon@example.com", password: "Passw0rd!", nickname: "Joon")
        _ = try await scene.person.invite("joon@example.com", to: workspace)
        var rooms: [RoomAddress] = []
        var middle: Chat?
        for number in 0..<20 {
          let id = try await scene.person.createChannel(name: "c\(number)", in: workspace).channelID
          rooms.append(.channel(id: id, workspace: workspace))
        }
        _ = try await other.history(of: rooms[3])
        for number in 0..<5 {
          let chat = try await other.post("chat \(number)", to: rooms[3])
          if number == 2 { middle = chat }
        }
        try await other.close()
        let gone = RoomAddress.channel(id: UUID().uuidString.lowercased(), workspace: workspace)
        let all = try await scene.person.unread(in: scene.store.readDates(of: rooms + [gone]))
        #expect(Set(all.keys) == Set(rooms))
        #expect(all.compactMapValues { $0.count > 0 ? $0.count : nil } == [rooms[3]: 5])
        try await scene.store.markRead(rooms[3], upTo: try #require(middle).createdAt)
        #expect(try await scene.person.unread(in: scene.store.readDates(of: rooms))[rooms[3]]?.count == 2)
      }
    }
  }

  @Test("a chat that is given up while it is being sent leaves nothing behind")
  func discarded() async throws {
    try await TestServer.run { server in
      try await Proxy.run(to: server.port) { proxy in
        try await RoomScene.run(server, through: proxy.url) { scene in
          let room = try await scene.room()
          try await room.running {
            var screen = RoomScreen(room)
            try await screen.wait { $0.state == .live }
            proxy.forget()
            let chat = try await room.send("never mind")
            try await screen.wait { if case .sending? = $0.pending.first?.status { true } else { false } }
            try await room.discard(chat)
            try await screen.wait { $0.pending.isEmpty }
          }
          #expect(try await scene.person.history(of: scene.address).isEmpty)
          var later = RoomScreen(try await scene.room())
          try await later.open()
          #expect(later.pending.isEmpty)
        }
      }
    }
  }

  @Test("a picture is downloaded once and survives server and program; a path outside the server's files is refused")
  func pictures() async throws {
    try await TestServer.run { server in
      try await RoomScene.run(server) { scene in
        let bytes = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) + Data(repeating: 7, count: 300_000)
        let file = server.folder.appending(path: "me.png")
        try bytes.write(to: file)
        let path = try #require(try await scene.person.editPicture(Upload(file: file)).profileImage)
        let folder = server.folder.appending(path: "pictures")
        let cache = PictureCache(client: scene.person, folder: folder)
        #expect(try await cache.picture(path) == bytes)
        await #expect(throws: MadangError.refused(.notFound, status: 400)) {
          try await cache.picture("/static/profiles/none.png")
        }
        var small = PictureCache.Configuration()
        small.pictureBytes = 1000
        let strict = PictureCache(
          client: scene.person, folder: server.folder.appending(path: "strict"), configuration: small)
        await #expect(throws: MadangError.self) { try await strict.picture(path) }
        server.program.signal(SIGKILL)
        _ = await server.program.status()
        #expect(try await PictureCache(client: scene.person, folder: folder).picture(path) == bytes)
      }
    }
  }

  @Test("a cancelled upload ends at once and posts nothing")
  func cancelledUpload() async throws {
    try await TestServer.run { server in
      try await FaultyNetwork.run(to: server.port) { network in
        try await RoomScene.run(server, through: network.url) { scene in
          let file = server.folder.appending(path: "big.png")
          try (Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) + Data(count: 9 << 20)).write(to: file)
          let upload = try Upload(file: file)
          let (started, start) = AsyncStream.makeStream(of: Void.self)
          let (person, address) = (scene.person, scene.address)
          // So that the upload cannot end before it is cancelled.
          network.order(.delayed(after: 100_000), "POST", containing: "/chats")
          let posting = Task { try await person.post("", files: [upload], to: address) { _, _ in start.yield() } }
          for await _ in started { break }
          posting.cancel()
          await #expect(throws: CancellationError.self) { try await posting.value }
          network.release()
          #expect(try await person.history(of: address).isEmpty)
        }
      }
    }
  }
}
