import MadangAPI
import MadangCore

extension RouteTable {
  mutating func addChats() {
    respond(to: Wire.channelHistory) { try await $0.history(of: $0.channel) }
    respond(to: Wire.directMessageHistory) { try await $0.history(of: $0.directMessage) }
    respond(to: Wire.postToChannel) { try await $0.post(to: $0.channel) }
    respond(to: Wire.postToDirectMessage) { try await $0.post(to: $0.directMessage) }
    on(Wire.channelUnread) { Wire.ChannelUnread(try await $0.unread(in: $0.channel)) }
    on(Wire.directMessageUnread) { Wire.DMUnread(try await $0.unread(in: $0.directMessage)) }
  }
}

extension Call {
  fileprivate var channel: RoomAddress { RoomAddress(.channel, reference("channel"), in: reference("workspace")) }
  fileprivate var directMessage: RoomAddress { RoomAddress(.dm, reference("room"), in: reference("workspace")) }
}
