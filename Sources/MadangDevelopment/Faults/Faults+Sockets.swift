import HTTPTypes
import MadangServer
import SocketIOProtocol
import SocketIOServer

extension Faults {
  /// How long a packet waits to be overtaken, if the rule does not say.
  private static let holdBack = Duration.seconds(1)

  /// The refusal of a connection or namespace, and its name in the journal; nil if it may open.
  func refusal(
    of opening: SocketIOServer.InterceptedOpening
  ) -> (action: SocketIOServer.OpeningAction, label: AppliedFault)? {
    guard disturbsSockets, opening.request.transport == .webSocket, let fault = decideOpening() else { return nil }
    return (.refuse(HTTPResponse.Status(code: fault.effect.status ?? 400)), fault.label)
  }

  /// The effect on a packet, and its name in the journal; nil for none.
  func disturbance(of packet: InterceptedPacket) -> (action: SocketIOServer.PacketAction, label: AppliedFault)? {
    decide(packet).map { (action($0, on: packet), $0.label) }
  }

  private func action(_ fault: Applied, on packet: InterceptedPacket) -> SocketIOServer.PacketAction {
    let effect = fault.effect
    switch effect.kind {
    case .refuseNamespace: return .refuse(message: effect.message ?? "not allowed")
    case .drop: return .drop
    case .delay: return .delay(fault.duration, effect.overtaken ?? false ? .overtaken : .kept)
    case .duplicate: return .duplicate(times: effect.count ?? 1)
    case .reorder: return .holdBack(atMost: effect.milliseconds == nil ? Self.holdBack : fault.duration)
    case .truncate: return .replace(Array(packet.bytes.dropLast().prefix(effect.bytes ?? 0)))
    case .silence: return .fallSilent
    case .noPong: return .stopHeartbeat
    case .close: return .close(code: effect.closeCode.map { UInt16($0) })
    case .disconnectNamespace: return .disconnect
    case .resetSocket: return .reset
    case .status, .expiredToken, .limited, .latency, .answerLost, .cut, .malformedJSON, .contentType, .drip, .reset,
      .restart, .refuseUpgrade:
      return .pass
    }
  }
}
