import MadangAPI
import MadangCore

extension Edition2024_10 {
  static func addDirectMessages(to routes: inout RouteTable) {
    routes.on(directMessages) { call in
      try await call.madang.directMessages(in: call.reference("workspace"), as: try call.caller)
        .map(DMRoom.init)
    }
    routes.on(openDirectMessage) { call in
      let opponent = try await call.fields().required(.opponentID)
      return .init(
        try await call.madang.openDirectMessage(
          with: call.edition.reference(opponent), in: call.reference("workspace"), as: try call.caller))
    }
  }
}
