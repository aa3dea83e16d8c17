import Logging
import MadangCore
import MadangServer
import SocketIOServer

/// What people who test clients need of one server: faults.
package final class Kit: Sendable {
  package let faults: Faults
  package let outage = Outage()

  /// - Parameter clock: The server's.
  package init(clock: MadangCore.Clock) {
    faults = Faults(clock: clock, outage: outage)
  }

  /// To be given to `buildServer`, for one server.
  package var instruments: Instruments {
    Instruments(
      respond: { [faults] in try await faults.respond($0, $1, $2) },
      packetInterceptor: SocketIOServer.PacketInterceptor(
        isActive: { [faults] in faults.disturbsSockets }, opening: { [faults] in faults.opening($0) },
        packet: { [faults] in faults.disturbance(of: $0)?.action ?? .pass }),
      develop: { [calls = FaultCalls(faults: faults)] in try await calls.respond($0, $1, $2) },
      admitsConnection: { [outage] in outage.isOver },
      attach: { [outage] in outage.attach($0) })
  }
}

/// Builds a server with the system's clock and randomness, the only one on an embedded database; in development mode with a
/// kit.
package func makeDevelopmentServer(_ settings: ServerSettings, logger: Logger) async throws -> MadangServer {
  let clock = MadangCore.Clock()
  return try await buildServer(
    settings, clock: clock, isAlone: true, instruments: Kit(clock: clock).instruments, logger: logger)
}
