import MadangAPI
import MadangCore

extension Edition {
  /// The edition with UUID ids and dates of its time zone.
  static func october2024(offset: Int64) -> Edition {
    let dates = WireDates(offset: offset, zonelessOffset: 0)
    return Edition(
      id: .october2024,
      routes: Edition2024_10.routes,
      dates: dates,
      reference: { .uuid($0) },
      text: \.uuid,
      isID: { id in
        id.utf8.count == 36 && id.utf8.allSatisfy { $0 == UInt8(ascii: "-") || Character(.init($0)).isHexDigit }
      },
      // Some clients use the `dm` prefix for channels too.
      rooms: { $0 == .channel ? [.channel] : [.dm, .channel] },
      targets: { chat in
        let id = chat.room.id.uuid
        return switch chat.room.kind {
        case .channel: [(.init(.channel, id), .channel), (.init(.dm, id), .channel)]
        case .dm: [(.init(.dm, id), .dm)]
        }
      },
      elements: { kind, chats in
        switch kind {
        case .channel: WireEncoder.elements(chats.lazy.map { Edition2024_10.ChannelChat($0, dates) })
        case .dm: WireEncoder.elements(chats.lazy.map { Edition2024_10.DMChat($0, dates) })
        }
      },
      refusesEarlyRefresh: false,
      noSuchInvitee: .notFound)
  }
}

extension Edition2024_10 {
  /// Made once for all servers of the process: tests make many.
  fileprivate static let routes: RouteTable = {
    var routes = RouteTable(of: .october2024)
    addUsers(to: &routes)
    addWorkspaces(to: &routes)
    addChannels(to: &routes)
    addDirectMessages(to: &routes)
    addChats(to: &routes)
    addCoins(to: &routes)
    addFiles(to: &routes)
    return routes
  }()
}
