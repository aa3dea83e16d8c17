import ArgumentParser
import MadangAPI
import MadangClient

struct UnreadCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unread", abstract: "Count the chats of others that you have not read, room by room.",
    usage: "madang unread [options]",
    discussion: "Chats that 'history' or 'watch' have shown with this profile count as read.")

  @OptionGroup var options: WorkspaceOptions

  func run() async throws {
    try await options.withWorkspace { person, workspace in
      let counts = try await person.unread(in: try await person.rooms(of: workspace))
      try person.output.list(
        counts, [Column("ROOM", \.name), Column("UNREAD") { String($0.unread.count) }],
        empty: "You have not joined a room yet.")
    }
  }
}

/// A count with its room's name. Encoded as the count alone.
struct NamedUnread: Encodable {
  let name: String
  let unread: Unread

  func encode(to encoder: any Encoder) throws { try unread.encode(to: encoder) }
}

extension Person {
  /// The rooms of the account: joined channels, then direct messages.
  func rooms(of workspace: Edition2024_10.Workspace) async throws -> [NamedRoom] {
    let id = workspace.workspaceID
    let channels = try await client.myChannels(in: id)
    let directMessages = try await client.directMessages(in: id)
    return channels.map { NamedRoom(name: "#" + $0.name, room: .channel(id: $0.channelID, workspace: id)) }
      + directMessages.map {
        NamedRoom(name: "@" + $0.user.nickname, room: .directMessage(id: $0.roomID, workspace: id))
      }
  }

  /// The counts, in the order of the rooms.
  func unread(in rooms: [NamedRoom]) async throws -> [NamedUnread] {
    let read = try profile.load()?.read ?? [:]
    let dates = rooms.map { ($0.room, read[$0.room.id] ?? RoomAddress.beginning) }
    let counts = try await client.unread(in: Dictionary(dates, uniquingKeysWith: max))
    return rooms.compactMap { named in counts[named.room].map { NamedUnread(name: named.name, unread: $0) } }
  }
}
