import HTTPTypes
import Hummingbird
import Logging
import MadangCore
import MadangServer
import NIOCore
import OpenAPI
import SocketIOServer
import Storage
import Synchronization

/// What people who test clients need of one server: its clock, faults, people who act, and calls under `/_dev` about them.
package final class Kit: Sendable {
  package let faults: Faults
  package let outage = Outage()
  package let journal: Journal
  package let people = People()
  package let scripts: Scripts
  private let clock: MadangCore.Clock
  private let calls = CallsToEnd()
  private let waits: Waits
  private let further = Mutex<(@Sendable (DevelopmentCall) async throws -> Response?)?>(nil)

  /// - Parameters:
  ///   - clock: The server's.
  ///   - waits: Those of its calls.
  package init(clock: MadangCore.Clock, journal limits: Journal.Limits = Journal.Limits(), waits: Waits = Waits()) {
    self.clock = clock
    self.waits = waits
    journal = Journal(clock: clock, limits: limits) { [outage] in await outage.email(ofAccount: $0) }
    faults = Faults(clock: clock, outage: outage)
    scripts = Scripts(clock: clock, people: people)
  }

  /// To be given to `buildServer`, for one server.
  ///
  /// - Parameters:
  ///   - addressee: As in ``Instruments/addressee``.
  ///   - stopping: As in ``Instruments/stopping``.
  package func instruments(
    addressee: @escaping @Sendable (_ host: String?) -> Addressee<MadangServer> = { _ in .this },
    stopping: @escaping @Sendable () -> Void = {}
  ) -> Instruments {
    Instruments(
      isIdle: { [faults] in faults.isIdle },
      respond: { [faults] in try await faults.respond($0, $1, $2) },
      answered: { [journal] in journal.record($0, answeredBy: &$1) },
      answeredAfterLookup: { [journal] in await journal.recordAfterLookup($0, answeredBy: &$1) },
      unanswered: { [journal] in journal.recordUnanswered($0) },
      packetInterceptor: SocketIOServer.PacketInterceptor(
        isActive: { [faults, journal, outage] in
          faults.disturbsSockets || journal.recordsPackets || !outage.isOver
        },
        opening: { [self] in opening($0) }, packet: { [self] in action(on: $0) },
        session: { [journal] in journal.record($0) }),
      develop: { [self] in
        try await respond(to: DevelopmentCall(method: $0, path: Array($1), request: $2, channel: $3))
      },
      admitsConnection: { [outage] in outage.isOver },
      addressee: addressee,
      observe: { [journal] in journal.record($0) },
      stopping: stopping,
      attach: { [outage, people] in
        outage.attach($0)
        people.attach($0)
      },
      posted: { [scripts] in scripts.heard($0) })
  }

  private func opening(_ opening: SocketIOServer.InterceptedOpening) -> SocketIOServer.OpeningAction {
    // By a connection to another server of the process, which goes on.
    guard outage.isOver else { return .reset }
    guard let refusal = faults.refusal(of: opening) else { return .allow }
    journal.recordRefusal(of: opening, refusal.label)
    return refusal.action
  }

  private func action(on packet: InterceptedPacket) -> SocketIOServer.PacketAction {
    let disturbance = faults.disturbsSockets ? faults.disturbance(of: packet) : nil
    if journal.recordsPackets {
      journal.record(packet, disturbance?.label)
    }
    return disturbance?.action ?? .pass
  }

  /// What of the contract was touched by all that has happened.
  package var coverage: Coverage { journal.coverage }

  /// Has further calls answered.
  func answer(_ calls: @escaping @Sendable (DevelopmentCall) async throws -> Response?) {
    further.withLock { $0 = calls }
  }

  /// Ends what is waited for: who waits is told why. What is asked afterwards is told the same. Returns when all calls are over,
  /// whose answers are still to be written.
  func end(because reason: WorldError) async { await calls.end(because: reason) }

  /// The same, without waiting for the calls.
  func refuse(because reason: WorldError) { calls.refuse(because: reason) }

  /// How many calls are being answered, for tests.
  package var callsUnderWay: Int { calls.count }

  /// The answer to a call about this server; nil if there is none of this path. Throws `BadCall`.
  func respond(to call: DevelopmentCall) async throws -> Response? {
    do { return try await calls.run { [self] in try await answer(to: call) } } catch let error as WorldError {
      throw BadCall(error.description)
    }
  }

  private func answer(to call: DevelopmentCall) async throws -> Response? {
    do {
      switch call.path.first {
      case "faults", "restart":
        return try await FaultCalls(faults: faults, people: people).respond(to: call)
      case "clock" where call.path.count == 1: return try await ClockCalls(clock: clock).respond(to: call)
      case "journal", "expect":
        return try await JournalCalls(journal: journal, people: people, waits: waits).respond(to: call)
      case "openapi.json" where call.method == .get:
        try call.refuseQuery()
        return .document
      case "review": return try await ReviewCalls(journal: journal, people: people).respond(to: call)
      case "people": return try await PeopleCalls(people: people).respond(to: call)
      case "seed": return try await SeedCalls(people: people).respond(to: call)
      case "scripts": return try await ScriptCalls(scripts: scripts, waits: waits).respond(to: call)
      default:
        if let answer = try await further.withLock(\.self)?(call) { return answer }
        return try await coverage.calls.respond(to: call)
      }
    } catch let error as SeedError {
      throw BadCall("seed: \(error)")
    } catch let error as PlantingProblem {
      throw BadCall("seed: \(error)")
    } catch let error as SetupError {
      throw BadCall("the world cannot start: \(error)")
    } catch let error as StorageError {
      throw BadCall("the database cannot be used now: \(error.message)")
    }
  }
}

extension Response {
  /// What calls there are, in OpenAPI.
  fileprivate static var document: Response {
    let bytes = ByteBuffer(bytes: OpenAPIDocuments.development)
    return Response(
      status: .ok, headers: [.contentType: "application/json; charset=utf-8"], body: .init(byteBuffer: bytes))
  }
}
