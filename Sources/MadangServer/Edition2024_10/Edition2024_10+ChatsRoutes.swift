import MadangAPI
import MadangCore

extension Edition2024_10 {
  static func addChats(to routes: inout EditionRoutes) {
    routes.respond(to: channelHistory) { try await $0.history(of: $0.channel) }
    routes.respond(to: directMessageHistory) { try await $0.history(of: $0.directMessage) }
    routes.respond(to: postToChannel) { try await $0.post(to: $0.channel) }
    routes.respond(to: postToDirectMessage) { try await $0.post(to: $0.directMessage) }
    routes.on(channelUnread) { ChannelUnread(try await $0.unread(in: $0.channel)) }
    routes.on(directMessageUnread) { DMUnread(try await $0.unread(in: $0.directMessage)) }
  }
}

extension Call {
  fileprivate var channel: RoomAddress { RoomAddress(.channel, reference("channel"), in: workspace) }
  fileprivate var directMessage: RoomAddress { RoomAddress(.dm, reference("room"), in: workspace) }
}

extension Edition2024_10.ChannelUnread {
  init(_ unread: Unread) {
    let id = unread.room.id.uuid
    self.init(channelID: id, name: unread.room.name, count: unread.count, roomID: id)
  }
}

extension Edition2024_10.DMUnread {
  init(_ unread: Unread) { self.init(roomID: unread.room.id.uuid, count: unread.count) }
}
