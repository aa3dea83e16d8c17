import Foundation
import MadangClient
import Observation

/// What a chat screen shows: one room's chats, what is on its way, and whether it is live.
@MainActor
@Observable
final class ChatScreenModel {
  private(set) var chats: [Chat] = []
  private(set) var pending: [PendingChat] = []
  private(set) var state = RoomState.stopped
  private let room: Room

  init(_ address: RoomAddress, of client: MadangClient, account: String, in folder: URL) async throws {
    let store = try LocalStore(folder: folder, server: client.configuration.server, account: account)
    room = try await Room(address, client: client, store: store)
  }

  /// Keeps the room live: as long as the screen is there and the app in the foreground.
  func run() async throws { try await room.run() }

  /// Follows the room: history first, then everything that happens.
  func follow() async throws {
    for try await update in room.updates {
      chats += update.chats
      (pending, state) = (update.pending, update.state)
    }
  }

  func send(_ text: String) async throws { try await room.send(text) }
  func retry(_ chat: PendingChat) async { await room.retry(chat.id) }

  /// Shows older chats when the person scrolls to the top.
  func showOlder() async throws {
    guard let first = chats.first else { return }
    chats = try await room.chats(before: first.createdAt) + chats
  }
}

#if canImport(SwiftUI)
  import SwiftUI

  struct ChatScreen: View {
    let model: ChatScreenModel
    @State private var text = ""
    @Environment(\.scenePhase) private var phase

    var body: some View {
      List {
        ForEach(model.chats, id: \.id) { Text("\($0.sender.nickname): \($0.content)") }
        ForEach(model.pending) { Text($0.content).foregroundStyle(.secondary) }
      }
      TextField("Message", text: $text).onSubmit {
        Task { [text] in try await model.send(text) }
        text = ""
      }
      .task { try? await model.follow() }
      .task(id: phase) { if phase == .active { try? await model.run() } }
    }
  }
#endif
