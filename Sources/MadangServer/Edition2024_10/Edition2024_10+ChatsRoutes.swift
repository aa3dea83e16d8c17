import MadangAPI
import MadangCore

extension Edition2024_10 {
  static func addChats(to routes: inout RouteTable) {
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
