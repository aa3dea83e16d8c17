import Foundation
import MadangAPI
import MadangClient
import SocketIOClient
import Testing

/// The rooms of a person on a device: a client, and a store in a folder of the server.
package struct RoomScene {
  package let person: MadangClient
  package let account: String
  package let email: String
  package let store: LocalStore
  package let address: RoomAddress

  package static let password = "Passw0rd!"

  /// Signs up a person at the server that is reached by `url`, and makes a channel for them. The store is in `folder`.
  package static func run(
    through url: String, in folder: URL, _ adjust: (inout MadangClient.Configuration) -> Void = { _ in },
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

  package func room() async throws -> Room { try await Room(address, client: person, store: store) }
}

/// What a person sees who applies a room's updates one after another.
package struct RoomScreen {
  private var updates: RoomUpdates.AsyncIterator
  package private(set) var chats: [Chat] = []
  /// How often each content has appeared.
  package private(set) var counts: [String: Int] = [:]
  package private(set) var pending: [PendingChat] = []
  package private(set) var state = RoomState.stopped

  package init(_ room: Room) { updates = room.updates.makeAsyncIterator() }

  /// Applies updates until the screen satisfies a condition.
  package mutating func wait(until isReached: (RoomScreen) -> Bool) async throws {
    while !isReached(self) {
      let update = try #require(try await updates.next(), "the room went on")
      let last = chats.last?.createdAt ?? ""
      #expect(update.chats.allSatisfy { $0.createdAt > last }, "no update repeats a chat")
      apply(update)
    }
  }

  /// Applies the first update.
  package mutating func open() async throws { apply(try #require(try await updates.next())) }

  private mutating func apply(_ update: RoomUpdate) {
    chats += update.chats
    for chat in update.chats { counts[chat.content, default: 0] += 1 }
    (pending, state) = (update.pending, update.state)
  }
}

extension Room {
  /// Runs the room while `body` runs.
  package nonisolated func running<Result>(_ body: () async throws -> Result) async throws -> Result {
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
