import MadangAPI
import MadangCore
import SocketIOProtocol

extension Edition {
  /// The edition with integer ids, channels by name and dates of its time zone.
  static func january2024(offset: Int64) -> Edition {
    let dates = WireDates(offset: offset, zonelessOffset: 9 * 3_600_000)
    return Edition(
      id: .january2024,
      routes: Edition2024_01.routes,
      dates: dates,
      reference: { .number(positiveNumber($0) ?? 0) },
      text: { String($0.number) },
      isID: { positiveNumber($0) != nil },
      rooms: { $0 == .channel ? [.channel] : [.dm] },
      targets: { chat in
        let id = String(chat.room.id.number)
        return switch chat.room.kind {
        case .channel: [(.init(.channel, id), .channel)]
        case .dm: [(.init(.dm, id), .dm)]
        }
      },
      elements: { kind, chats in
        switch kind {
        case .channel: WireEncoder.elements(chats.lazy.map { Edition2024_01.ChannelChat($0, dates) })
        case .dm: WireEncoder.elements(chats.lazy.map { Edition2024_01.DMChat($0, dates) })
        }
      },
      refusesEarlyRefresh: true,
      noSuchInvitee: .noAccount)
  }
}

/// An id as this edition writes it: digits that do not begin with zero. Nil for every other text; no object has the
/// id 0.
private func positiveNumber(_ text: String) -> Int64? {
  guard text.utf8.first != UInt8(ascii: "0"),
    text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
  else { return nil }
  return Int64(text)
}

extension Call {
  /// The channel a path names, within the path's workspace: one client encodes names twice, so what still looks
  /// encoded is tried decoded once more (wire contract, Paths).
  var namedChannel: Reference {
    let name = parameters["channel"] ?? ""
    guard name.utf8.contains(UInt8(ascii: "%")) else { return .channel(named: [name], in: workspace) }
    let decoded = percentDecoded(name.utf8)
    return .channel(named: decoded.isCheapToCompare ? [name, decoded] : [name], in: workspace)
  }
}

extension Edition2024_01 {
  /// Made once for all servers of the process: tests make many.
  fileprivate static let routes: RouteTable = {
    var routes = RouteTable(of: .january2024)
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
