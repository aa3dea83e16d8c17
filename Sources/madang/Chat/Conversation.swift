import Foundation
import MadangAPI
import MadangClient

/// One room as the full-screen conversation uses it. All its calls of the client library are here.
struct Conversation: Sendable {
  let person: Person
  let workspace: Edition2024_10.Workspace
  let named: NamedRoom
  let room: Room

  /// Opens the room with the local history.
  init(_ named: NamedRoom, in workspace: Edition2024_10.Workspace, for person: Person) async throws {
    self.person = person
    self.workspace = workspace
    self.named = named
    let store = try LocalStore(
      folder: Environment.current.history, server: person.client.configuration.server,
      account: try await person.client.me().userID)
    room = try await Room(named.room, client: person.client, store: store)
  }

  /// Updates of the screen other than typing.
  enum News: Sendable {
    case update(RoomUpdate)
    /// Chats before the oldest one shown; empty if there are none.
    case older([Chat])
    /// Unread chats by room, without this one.
    case unread([(room: String, count: Int)])
    /// No chat follows: all are stored, and sent or being sent.
    case allSaid
    case refused(any Error)
    case ended(any Error)
  }

  /// Requests of the person to the room.
  enum Wish: Sendable {
    case say(String)
    case file(path: String)
    case retry(PendingChat.ID)
    case discard(PendingChat.ID)
    case older(than: String)
  }

  /// Keeps the room connected until cancelled.
  func run(_ tell: (News) -> Void) async {
    do { try await room.run() } catch { tell(.ended(error)) }
  }

  /// Reports updates of the room until cancelled, and records how far it was shown.
  func follow(_ tell: (News) -> Void) async {
    var unmarked: Chat?
    do {
      for try await update in room.updates {
        tell(.update(update))
        unmarked = update.chats.last ?? unmarked
        guard update.state == .live, let newest = unmarked else { continue }
        try person.markRead([newest])
        unmarked = nil
      }
    } catch {
      tell(.ended(error))
    }
  }

  /// Reports the unread counts of other rooms until cancelled, again after each chat in one of them.
  func countOthers(_ tell: (News) -> Void) async {
    while !Task.isCancelled {
      do {
        let others = try await person.rooms(of: workspace).filter { $0.room != named.room }
        guard !others.isEmpty else { return tell(.unread([])) }
        for try await event in person.client.watch(others.map(\.room)) {
          if case .interrupted = event { continue }
          tell(.unread(try await person.unread(in: others).map { ($0.name, $0.unread.count) }))
        }
      } catch {
        // A room may have been deleted or left; list the rooms again.
        try? await Task.sleep(for: .seconds(5))
      }
    }
  }

  /// Processes requests one after another until `wishes` ends. Older chats are read in parallel, because this may take as long as the first
  /// read of the room.
  func fulfil(_ wishes: AsyncStream<Wish>, _ tell: @escaping @Sendable (News) -> Void) async {
    await withTaskGroup(of: Void.self) { group in
      for await wish in wishes {
        if case .older = wish {
          group.addTask { await fulfil(wish, tell) }
        } else {
          await fulfil(wish, tell)
        }
      }
      tell(.allSaid)
      group.cancelAll()
    }
  }

  private func fulfil(_ wish: Wish, _ tell: (News) -> Void) async {
    do {
      switch wish {
      case .say(let text): try await room.send(text)
      case .file(let path): try await room.send("", files: [URL(filePath: path)])
      case .retry(let id): await room.retry(id)
      case .discard(let id): try await room.discard(id)
      case .older(let date): tell(.older(try await room.chats(before: date)))
      }
    } catch is CancellationError {
      // The person leaves.
    } catch {
      tell(.refused(error))
    }
  }
}
