import Logging
import SocketIOProtocol

/// An event was not sent, as its name means something else to every client (`SocketEvent.reservedNames`).
public struct ReservedNameError: Error, Equatable, Sendable {
  /// The name that the event was to have.
  public let name: String

  static func check(_ name: String) throws(ReservedNameError) {
    guard SocketEvent.isReserved(name) else { return }
    throw ReservedNameError(name: name)
  }
}

extension ServerCore {
  /// Whether an event may have this name. If not, the log says so. The name may have come from a client, so it must not end the process.
  func mayEmit(_ event: String) -> Bool {
    guard SocketEvent.isReserved(event) else { return true }
    advise(.warning, "An event is not sent: the name \(event) is reserved")
    return false
  }
}
