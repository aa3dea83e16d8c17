import Foundation
import MadangAPI
import MadangClient
import MadangTesting
import Support
import Synchronization
import Testing

@Suite("MadangClient: sessions and live rooms", .timeLimit(.minutes(5)), .madang(seed: .empty))
struct SessionsAndRoomsTests {
  private let world = Madang.world

  /// Runs `body` with the client of a new account.
  private func withPerson(
    _ nickname: String, store: SessionStore = .inMemory, _ body: (MadangClient) async throws -> Void
  ) async throws {
    try await MadangClient.withPerson(nickname, by: world.makeClient(store: store), body)
  }

  /// Runs `body` with an empty directory, which is removed afterwards.
  private func inFolder(_ body: (URL) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "madang-client-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try await body(folder)
  }

  @Test("concurrent calls with an expired token share one renewal")
  func oneRenewal() async throws {
    let saves = Mutex(0)
    let store = SessionStore(load: { nil }, save: { _ in saves.withLock { $0 += 1 } })
    try await withPerson("Mina", store: store) { mina in
      world.clock.advance(by: .seconds(25 * 3600))
      try await withThrowingTaskGroup(of: String.self) { group in
        for _ in 0..<40 { group.addTask { try await mina.me().nickname } }
        for try await nickname in group { #expect(nickname == "Mina") }
      }
      #expect(saves.withLock(\.self) == 2, "once for signing up, once for the renewal")
    }
  }

  @Test("a session that cannot be renewed ends for all calls in progress")
  func sessionOver() async throws {
    try await withPerson("Mina") { mina in
      world.clock.advance(by: .seconds(40 * 86_400))
      await #expect(throws: MadangError.refused(.refreshExpired, status: 400)) { try await mina.me() }
      #expect(await !mina.isSignedIn)
      await #expect(throws: MadangError.signedOut) { try await mina.me() }
    }
  }

  @Test("a session that was ended elsewhere ends here too")
  func revoked() async throws {
    let tokens = Mutex<Edition2024_10.Tokens?>(nil)
    let store = SessionStore(load: { tokens.withLock(\.self) }, save: { new in tokens.withLock { $0 = new } })
    try await withPerson("Mina", store: store) { mina in
      let elsewhere = world.makeClient(store: store)
      #expect(try await elsewhere.me().nickname == "Mina")
      try await mina.signOut()
      await #expect(throws: MadangError.refused(.badToken, status: 400)) { try await elsewhere.me() }
      #expect(await !elsewhere.isSignedIn)
      try await elsewhere.close()
    }
  }

  @Test("signing in with Apple or Kakao creates an account once, and pushes go to the session's device token")
  func socialSignIn() async throws {
    let (first, second) = (world.makeClient(), world.makeClient())
    let apple = try world.socialToken(
      from: .apple, subject: "mina@example.com", email: "mina@example.com", nickname: "Mina")
    let made = try await first.signInWithApple(idToken: apple, nickname: "Mina")
    #expect(made.provider == "apple")
    #expect(try await second.signInWithApple(idToken: apple).userID == made.userID)
    try await second.setDeviceToken("a device")
    let kakao = try world.socialToken(
      from: .kakao, subject: "joon@example.com", email: "joon@example.com", nickname: "Joon")
    #expect(try await second.signInWithKakao(oauthToken: kakao).nickname == "Joon")
    #expect(try await second.me().provider == "kakao")
    #expect(try await first.me().userID == made.userID)
    await #expect(throws: MadangError.refused(.noAccount, status: 400)) {
      try await second.signInWithKakao(oauthToken: "nobody's")
    }
    try await first.close()
    try await second.close()
  }

  @Test("an upload reports its progress up to the last byte, and the download equals the file")
  func transfer() async throws {
    try await inFolder { folder in
      try await withPerson("Mina") { mina in
        let room = try await mina.newRoom()
        let file = folder.appending(path: "big.png")
        let bytes = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) + Data(count: 5 << 20)
        try bytes.write(to: file)
        let progress = Mutex<[(Int, Int)]>([])
        let chat = try await mina.post("", files: [Upload(file: file)], to: room) { sent, total in
          progress.withLock { $0.append((sent, total)) }
        }
        let reports = progress.withLock(\.self)
        #expect(reports.count > 50)
        #expect(reports.last.map { $0.0 == $0.1 } == true)
        #expect(zip(reports, reports.dropFirst()).allSatisfy { $0.0 < $1.0 })
        let copy = folder.appending(path: "copy.png")
        #expect(try await mina.download(try #require(chat.files.first), to: copy) == bytes.count)
        #expect(try Data(contentsOf: copy) == bytes)
      }
    }
  }

  @Test("a document is sent with its name, and downloaded by the path that contains it")
  func document() async throws {
    try await inFolder { folder in
      try await withPerson("Mina") { mina in
        let room = try await mina.newRoom()
        let bytes = Data("%PDF-1.7 100%".utf8)
        let file = folder.appending(path: "회의록 100% 1_2.pdf")
        try bytes.write(to: file)
        let path = try #require(try await mina.post("", files: [try Upload(file: file)], to: room).files.first)
        let shown = try #require(path.split(separator: "/").last?.removingPercentEncoding)
        #expect(shown.hasPrefix("회의록 100% 1_2_") && shown.hasSuffix(".pdf"))
        let copy = folder.appending(path: "copy.pdf")
        #expect(try await mina.download(path, to: copy) == bytes.count)
        #expect(try Data(contentsOf: copy) == bytes)
      }
    }
  }

  @Test("a file that shrinks during the upload is a file error, and nothing is posted")
  func shrinkingFile() async throws {
    try await inFolder { folder in
      try await withPerson("Mina") { mina in
        let room = try await mina.newRoom()
        let file = folder.appending(path: "short.png")
        try Data(count: 200_000).write(to: file)
        let upload = try Upload(file: file)
        try Data(count: 10).write(to: file)
        let failure = await #expect(throws: MadangError.self) { try await mina.post("x", files: [upload], to: room) }
        #expect(failure == .file(path: file.path, reason: "became shorter while it was sent"))
        #expect(try await mina.history(of: room).isEmpty)
      }
    }
  }

  @Test("an incomplete download leaves no file")
  func failedDownload() async throws {
    try await inFolder { folder in
      try await withPerson("Mina") { mina in
        let copy = folder.appending(path: "downloads").appending(path: "none.png")
        try FileManager.default.createDirectory(
          at: copy.deletingLastPathComponent(), withIntermediateDirectories: true)
        await #expect(throws: MadangError.refused(.notFound, status: 400)) {
          try await mina.download("/static/channelChats/none.png", to: copy)
        }
        let left = try FileManager.default.contentsOfDirectory(atPath: copy.deletingLastPathComponent().path)
        #expect(left == [])
      }
    }
  }

  @Test("watching delivers chats in order, as the posts were answered, including the watcher's own")
  func live() async throws {
    try await withPerson("Mina") { mina in
      let room = try await mina.newRoom()
      try await mina.post("before", to: room)
      var events = mina.watch([room]).makeAsyncIterator()
      #expect(try await events.next() == .live)
      var posted: [Chat] = []
      for number in 0..<20 { posted.append(try await mina.post("chat \(number)", to: room)) }
      for chat in posted { #expect(try await events.next() == .chat(chat)) }
    }
  }

  @Test("watching from a date delivers newer chats first, then goes live")
  func fromCursor() async throws {
    try await withPerson("Mina") { mina in
      let room = try await mina.newRoom()
      let first = try await mina.post("first", to: room)
      let second = try await mina.post("second", to: room)
      var events = mina.watch([room], after: [room: first.createdAt]).makeAsyncIterator()
      #expect(try await events.next() == .chat(second))
      #expect(try await events.next() == .live)
    }
  }

  @Test("an account that is not a member may not watch")
  func stranger() async throws {
    try await withPerson("Mina") { mina in
      let room = try await mina.newRoom()
      try await withPerson("Joon") { joon in
        var events = joon.watch([room]).makeAsyncIterator()
        let refusal = MadangError.notAllowed(namespace: room.namespace.name, message: "not allowed")
        await #expect(throws: refusal) { while try await events.next() != nil {} }
      }
    }
  }

  @Test("a reader too slow for its buffer still receives every chat once")
  func slowReader() async throws {
    try await withPerson("Mina") { mina in
      let room = try await mina.newRoom()
      var configuration = MadangClient.Configuration(server: world.url, apiKey: MadangWorld.apiKey)
      configuration.maxWaitingEvents = 4
      let slow = MadangClient(configuration: configuration)
      try await slow.signIn(email: "mina@example.com", password: "Passw0rd!")
      var events = slow.watch([room]).makeAsyncIterator()
      #expect(try await events.next() == .live)
      var posted: [String] = []
      for number in 0..<50 { posted.append(try await mina.post("chat \(number)", to: room).id) }
      var got: [String] = []
      while got.count < posted.count, let event = try await events.next() {
        if case .chat(let chat) = event { got.append(chat.id) }
      }
      #expect(got == posted)
      try await slow.close()
    }
  }
}
