import Foundation
import MadangAPI
import MadangClient
import SocketIOClient
import Testing

/// Somebody's rooms on a device: a client, and a store in a folder of the server's.
struct RoomScene {
  let person: MadangClient
  let account: String
  let email: String
  let store: LocalStore
  let address: RoomAddress

  static let password = "Passw0rd!"

  /// Signs somebody up at a server, reached by `url`, and makes a channel for them.
  static func run(
    _ server: TestServer, through url: String? = nil,
    _ adjust: (inout MadangClient.Configuration) -> Void = { _ in }, _ body: (RoomScene) async throws -> Void
  ) async throws {
    try await run(through: url ?? server.url, in: server.folder, adjust, body)
  }

  /// The same at whatever server is reached by `url`, with the store in a folder.
  static func run(
    through url: String, in folder: URL, _ adjust: (inout MadangClient.Configuration) -> Void,
    _ body: (RoomScene) async throws -> Void
  ) async throws {
    var configuration = MadangClient.Configuration(server: url, apiKey: DevelopmentKey.october2024)
    configuration.backoff.first = .milliseconds(100)
    configuration.settleTime = .milliseconds(200)
    adjust(&configuration)
    let person = MadangClient(configuration: configuration)
    do {
      let email = "\(UUID().uuidString.prefix(8).lowercased())@example.com"
      let login = try await person.signUp(email: email, password: password, nickname: "Mina")
      let workspace = try await person.createWorkspace(name: String(email.prefix(8))).workspaceID
      let channel = try await person.createChannel(name: "room", in: workspace).channelID
      let store = try LocalStore(folder: folder.appending(path: "store"), server: "server", account: login.userID)
      try await body(
        RoomScene(
          person: person, account: login.userID, email: email, store: store,
          address: .channel(id: channel, workspace: workspace)))
    } catch {
      try? await person.close()
      throw error
    }
    try await person.close()
  }

  func room() async throws -> Room { try await Room(address, client: person, store: store) }
}

/// What somebody sees who applies a room's updates one after another.
struct RoomScreen {
  private var updates: RoomUpdates.AsyncIterator
  private(set) var chats: [Chat] = []
  /// How often each content has appeared.
  private(set) var counts: [String: Int] = [:]
  private(set) var pending: [PendingChat] = []
  private(set) var state = RoomState.stopped

  init(_ room: Room) { updates = room.updates.makeAsyncIterator() }

  /// Applies updates until the screen is as wanted.
  mutating func wait(until isReached: (RoomScreen) -> Bool) async throws {
    while !isReached(self) {
      let update = try #require(try await updates.next(), "the room went on")
      let last = chats.last?.createdAt ?? ""
      #expect(update.chats.allSatisfy { $0.createdAt > last }, "no update repeats a chat")
      apply(update)
    }
  }

  /// Applies the first update.
  mutating func open() async throws { apply(try #require(try await updates.next())) }

  private mutating func apply(_ update: RoomUpdate) {
    chats += update.chats
    for chat in update.chats { counts[chat.content, default: 0] += 1 }
    (pending, state) = (update.pending, update.state)
  }
}

extension Room {
  /// Runs the room while `body` runs.
  nonisolated func running<Result>(_ body: () async throws -> Result) async throws -> Result {
    let run = Task { try await self.run() }
    do {
      let result = try await body()
      run.cancel()
      try await run.value
      return result
    } catch {
      run.cancel()
      _ = await run.result
      throw error
    }
  }
}
