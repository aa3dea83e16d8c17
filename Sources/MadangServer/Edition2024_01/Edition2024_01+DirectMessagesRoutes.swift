import MadangAPI
import MadangCore

extension Edition2024_01 {
  static func addDirectMessages(to routes: inout EditionRoutes) {
    routes.respond(to: directMessages) { call in
      try await call.list(
        try await call.madang.directMessages(in: call.workspace, as: try call.principal), DMRoom.init)
    }
    routes.respond(to: directMessageHistory) { call in
      // Checked first, because an unreadable cursor must not create a room.
      let date = try call.historyDate
      let workspace = call.workspace
      let room = try await call.madang.openDirectMessage(
        with: call.reference("user"), in: workspace, as: try call.principal)
      let list = DMChatList(workspaceID: room.workspace, roomID: room.id.number, chats: [])
      return try await call.history(
        of: RoomAddress(.dm, .number(room.id.number), in: workspace), after: date, within: try JSONEnvelope(list))
    }
  }
}

extension Edition2024_01.DMRoom {
  init(_ room: DirectMessage, _ dates: WireDates) {
    self.init(
      workspaceID: room.workspace, roomID: room.id.number, createdAt: dates.label(room.createdAt),
      user: .init(room.other))
  }
}
