import MadangAPI
import MadangCore

extension Edition {
  /// The edition with UUID ids and UTC dates.
  static let october2024 = Edition(
    name: "2024-10",
    routes: {
      var routes = RouteTable()
      Edition2024_10.addUsers(to: &routes)
      Edition2024_10.addWorkspaces(to: &routes)
      Edition2024_10.addChannels(to: &routes)
      Edition2024_10.addDirectMessages(to: &routes)
      Edition2024_10.addChats(to: &routes)
      Edition2024_10.addFiles(to: &routes)
      return routes
    }(),
    reference: { .uuid($0) },
    dateOffset: 0,
    zonelessOffset: 0,
    targets: { chat in
      let id = chat.room.id.uuid
      return switch chat.room.kind {
      // Some clients use the `dm` prefix for channels too.
      case .channel: [(.init(.channel, id), .channel), (.init(.dm, id), .channel)]
      case .dm: [(.init(.dm, id), .dm)]
      }
    },
    encode: { chat in
      switch chat.room.kind {
      case .channel: try WireEncoder.encode(Edition2024_10.ChannelChat(chat))
      case .dm: try WireEncoder.encode(Edition2024_10.DMChat(chat))
      }
    })
}
