import Logging
import SocketIOProtocol

/// An event was not sent, because its name has another meaning for every client (`SocketEvent.reservedNames`).
public struct ReservedNameError: Error, Equatable, Sendable {
  /// The name of the event.
  public let name: String

  static func check(_ name: String) throws(ReservedNameError) {
    guard SocketEvent.isReserved(name) else { return }
    throw ReservedNameError(name: name)
  }
}

extension ServerCore {
  /// Whether an event may have this name. If not, logs it. The name may come from a client, so it must not end the process.
  func mayEmit(_ event: String) -> Bool {
    guard SocketEvent.isReserved(event) else { return true }
    advise(.warning, "An event was not sent: the name \(event) is reserved")
    return false
  }
}
