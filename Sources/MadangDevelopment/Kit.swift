import HTTPTypes
import Hummingbird
import Logging
import MadangCore
import MadangServer
import SocketIOServer
import Synchronization

/// What people who test clients need of one server: its clock, faults, and calls under `/_dev` about them.
package final class Kit: Sendable {
  package let faults: Faults
  package let outage = Outage()
  private let clock: MadangCore.Clock
  private let further = Mutex<(@Sendable (DevelopmentCall) async throws -> Response?)?>(nil)

  /// - Parameter clock: The server's.
  package init(clock: MadangCore.Clock) {
    self.clock = clock
    faults = Faults(clock: clock, outage: outage)
  }

  /// To be given to `buildServer`, for one server.
  package var instruments: Instruments {
    Instruments(
      respond: { [faults] in try await faults.respond($0, $1, $2) },
      packetInterceptor: SocketIOServer.PacketInterceptor(
        isActive: { [faults] in faults.disturbsSockets }, opening: { [faults] in faults.opening($0) },
        packet: { [faults] in faults.disturbance(of: $0)?.action ?? .pass }),
      develop: { [self] in try await respond($0, $1, $2) },
      admitsConnection: { [outage] in outage.isOver },
      attach: { [outage] in outage.attach($0) })
  }

  /// Has further calls answered.
  func answer(_ calls: @escaping @Sendable (DevelopmentCall) async throws -> Response?) {
    further.withLock { $0 = calls }
  }

  private func respond(_ method: HTTPRequest.Method, _ path: ArraySlice<String>, _ request: Request) async throws
    -> Response?
  {
    let call = DevelopmentCall(method: method, path: Array(path), request: request)
    do {
      if let answer = try await FaultCalls(faults: faults).respond(method, path, request) { return answer }
      if call.path == ["clock"] { return try await ClockCalls(clock: clock).respond(to: call) }
      return try await further.withLock(\.self)?(call)
    } catch let error as WorldError {
      throw BadCall(error.description)
    } catch let error as SeedError {
      throw BadCall("seed: \(error)")
    } catch let error as PlantingProblem {
      throw BadCall("seed: \(error)")
    } catch let error as SetupError {
      throw BadCall(error.description)
    }
  }
}
