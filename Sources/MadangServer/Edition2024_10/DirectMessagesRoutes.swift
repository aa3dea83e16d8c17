import MadangAPI
import MadangCore

extension RouteTable {
  mutating func addDirectMessages() {
    on(Wire.directMessages) { call in
      try await call.madang.directMessages(in: call.reference("workspace"), as: try call.caller)
        .map(Wire.DMRoom.init)
    }
    on(Wire.openDirectMessage) { call in
      let opponent = try await call.fields().required(.opponentID)
      return .init(
        try await call.madang.openDirectMessage(
          with: call.edition.reference(opponent), in: call.reference("workspace"), as: try call.caller))
    }
  }
}
