import HTTPTypes
import MadangServer
import SocketIOProtocol
import SocketIOServer

extension Faults {
  /// The refusal of a connection or namespace, and its name in the journal; nil if it may open.
  func refusal(
    of opening: SocketIOServer.TravellingOpening
  ) -> (action: SocketIOServer.OpeningAction, label: AppliedFault)? {
    guard disturbsSockets, opening.request.transport == .webSocket, let fault = decideOpening() else { return nil }
    return (.refuse(HTTPResponse.Status(code: fault.effect.status ?? 400)), fault.label)
  }
}
