import MadangAPI
import MadangCore

extension Edition2024_10 {
  static func addDirectMessages(to routes: inout EditionRoutes) {
    routes.respond(to: directMessages) { call in
      try await call.list(
        try await call.madang.directMessages(in: call.workspace, as: try call.principal), DMRoom.init)
    }
    routes.on(openDirectMessage) { call in
      let opponent = try await call.body.fields().required(.opponentID)
      let room = try await call.madang.openDirectMessage(
        with: call.edition.reference(opponent), in: call.workspace, as: try call.principal)
      return DMRoom(room, call.dates)
    }
  }
}

extension Edition2024_10.DMRoom {
  init(_ room: DirectMessage, _ dates: WireDates) {
    self.init(roomID: room.id.uuid, createdAt: dates.label(room.createdAt), user: .init(room.other))
  }
}
