import MadangAPI
import MadangCore

extension Edition2024_10 {
  static func addDirectMessages(to routes: inout RouteTable) {
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
