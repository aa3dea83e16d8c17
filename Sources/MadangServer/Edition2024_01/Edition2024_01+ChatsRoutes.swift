import MadangAPI
import MadangCore
import SocketIOProtocol

extension Edition2024_01 {
  static func addChats(to routes: inout EditionRoutes) {
    routes.respond(to: channelHistory) { try await $0.history(of: $0.channel) }
    routes.respond(to: postToChannel) { try await $0.post(to: $0.channel) }
    routes.respond(to: postToDirectMessage) { try await $0.post(to: $0.directMessage) }
    routes.on(channelUnread) { ChannelUnread(try await $0.unread(in: $0.channel)) }
    routes.on(directMessageUnread) { DMUnread(try await $0.unread(in: $0.directMessage)) }
  }
}

extension Call {
  fileprivate var channel: RoomAddress { RoomAddress(.channel, namedChannel, in: workspace) }
  fileprivate var directMessage: RoomAddress { RoomAddress(.dm, reference("room"), in: workspace) }
}

extension Call {
  /// The channel that a path names, in the path's workspace. One client encodes names twice, so a name that still looks
  /// encoded is also tried decoded once more (wire contract, Paths).
  var namedChannel: Reference {
    let name = parameters["channel"] ?? ""
    guard name.utf8.contains(UInt8(ascii: "%")) else { return .channel(named: [name], in: workspace) }
    let decoded = percentDecoded(name.utf8)
    return .channel(named: decoded.isCheapToCompare ? [name, decoded] : [name], in: workspace)
  }
}

extension Edition2024_01.ChannelUnread {
  init(_ unread: Unread) {
    let id = unread.room.id.number
    self.init(channelID: id, name: unread.room.name, count: unread.count, roomID: id)
  }
}

extension Edition2024_01.DMUnread {
  init(_ unread: Unread) { self.init(roomID: unread.room.id.number, count: unread.count) }
}
