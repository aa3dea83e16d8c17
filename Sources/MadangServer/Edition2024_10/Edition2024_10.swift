import MadangAPI
import MadangCore

extension Edition {
  /// The edition with UUID ids and dates of its time zone.
  static func october2024(offset: Int64) -> Edition {
    let dates = WireDates(offset: offset, zonelessOffset: 0)
    var routes = RouteTable(of: .october2024)
    Edition2024_10.addUsers(to: &routes)
    Edition2024_10.addWorkspaces(to: &routes)
    Edition2024_10.addChannels(to: &routes)
    Edition2024_10.addDirectMessages(to: &routes)
    Edition2024_10.addChats(to: &routes)
    Edition2024_10.addCoins(to: &routes)
    Edition2024_10.addFiles(to: &routes)
    return Edition(
      id: .october2024,
      routes: routes,
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
