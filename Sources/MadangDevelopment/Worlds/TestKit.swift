import HTTPTypes
import Hummingbird
import Logging
import MadangCore
import MadangOperations
import MadangServer
import MadangWeb
import NIOCore
import SocketIOServer
import Synchronization

/// The test kit around one server, or several in succession: its clock, faults, people who act, and the calls under `/_dev`
/// about them.
package final class TestKit: Sendable {
  package let faults: Faults
  package let outage: Outage
  package let journal: Journal
  package let people: People
  package let scripts: Scripts
  package let current = CurrentServer()
  /// Calls under `/_dev`.
  let developmentCalls = CallsUnderWay()
  private let connections = Connections()
  private let disturbedSessions = DisturbedSessions()
  private let joining = JoiningAccounts()
  let clock: MadangCore.Clock
  let annex: AnnexMaker?
  private let calls = CallsToEnd()
  let waits: Waits
  let further = Mutex<(@Sendable (DevelopmentCall) async throws -> Response?)?>(nil)

  /// - Parameters:
  ///   - clock: The server's.
  ///   - waits: The waiting calls.
  ///   - annex: Of each of its servers.
  package init(
    clock: MadangCore.Clock, journal limits: Journal.Limits = Journal.Limits(), waits: Waits = Waits(),
    annex: AnnexMaker? = webPages
  ) {
    self.clock = clock
    self.annex = annex
    self.waits = waits
    let outage = Outage(current, connections)
    self.outage = outage
    journal = Journal(clock: clock, limits: limits) { [outage] in await outage.email(ofAccount: $0) }
    faults = Faults(clock: clock, outage: outage)
    people = People(current)
    scripts = Scripts(clock: clock, people: people)
    people.onPost { [weak scripts] in scripts?.heard($0) }
  }

  // MARK: Around a server

  /// Builds a server inside the kit.
  /// - Parameter change: Adds further surroundings.
  package func makeServer(
    _ settings: ServerSettings, isAlone: Bool = false, logger: Logger, _ change: (inout Surroundings) -> Void = { _ in }
  ) async throws -> MadangServer {
    journal.token.withLock { $0 = settings.developmentToken }
    let calls = CallsUnderWay()
    let standIns = standIns(IDSource(), of: calls)
    var surroundings = surroundings(standIns)
    surroundings.connections = { [self] in standAround(&$0) }
    surroundings.requests = { [self] request, channel, isForOperators, answer in
      try await respond(to: request, over: channel, isForOperators: isForOperators) { request, _ in
        try await answer(request)
      }
    }
    change(&surroundings)
    let server = try await buildServer(
      settings, clock: clock, isAlone: isAlone, surroundings: surroundings, annex: annex, logger: logger)
    current.put(.init(server: server, calls: calls, standIns: standIns))
    return server
  }

  /// The server has ended, and would otherwise keep the kit in memory.
  package func serverHasEnded() { current.put(nil) }

  /// Stand-ins for one server's providers. The journal records their events until the server's calls are ended.
  func standIns(_ ids: IDSource, of calls: CallsUnderWay) -> StandIns {
    StandIns(clock: clock, ids: ids) { [journal] in
      if !calls.isEnding { journal.record($0) }
    }
  }

  /// Surroundings that watch and disturb a server's packets, and supply its stand-ins.
  func surroundings(_ standIns: StandIns) -> Surroundings {
    var surroundings = Surroundings()
    surroundings.packets = SocketIOServer.PacketHook(
      opening: { [self] in opening($0) }, packet: { [self] in takes($0) },
      session: { [journal, disturbedSessions, joining] news in
        journal.record(news)
        guard case .closed = news.event else { return }
        disturbedSessions.ended(news.sessionID)
        joining.ended(news.sessionID)
      })
    surroundings.standIns = standIns.providers
    return surroundings
  }

  /// Closes new connections while the server is down.
  func standAround(_ configuration: inout SocketIOServer.HTTPChannelConfiguration) {
    configuration.reserveConnection = { [outage, reserve = configuration.reserveConnection] peer in
      guard outage.isOver else { return nil }
      return if let reserve { reserve(peer) } else { {} }
    }
  }

  private func opening(_ opening: SocketIOServer.TravellingOpening) -> SocketIOServer.OpeningAction {
    // The connection belongs to another server of the process, which is not down.
    guard outage.isOver else { return .reset }
    guard let refusal = faults.refusal(of: opening) else { return .allow }
    journal.recordRefusal(of: opening, refusal.label)
    return refusal.action
  }

  /// Whether a packet does not go its way at once.
  private func takes(_ packet: TravellingPacket) -> Bool {
    faults.namesAccountsOfSockets && holds(packet) || takesKnown(packet)
  }

  /// The same for a packet whose client's account needs no look-up.
  private func takesKnown(_ packet: TravellingPacket) -> Bool {
    let fault = faults.disturbsSockets ? faults.decide(packet, joining) : nil
    if journal.recordsPackets {
      journal.record(packet, fault?.label)
    } else if journal.arrivals.isAwaited {
      // A socket may have joined.
      journal.arrivals.arrived()
    }
    guard let fault else { return disturbedSessions.take(packet) }
    disturbedSessions.apply(fault, to: packet)
    return true
  }

  /// Whether a packet waits until the account of its client is known.
  private func holds(_ packet: TravellingPacket) -> Bool {
    joining.hold(packet) { [current] handshake, auth in
      await current.lease()?.server.account(joiningBy: handshake, auth)
    } _: { [weak self] packet, isKnown in
      guard let self else { return }
      if !(isKnown ? takesKnown(packet) : takes(packet)) { packet.deliver() }
    }
  }

  // MARK: Around requests

  /// Lets a server answer a request.
  typealias Answering = (Request, MadangServer) async throws -> Answer

  /// Lets the present server answer a request, and records the result.
  /// - Parameter isForOperators: Whether the request came by the listener for operators only.
  func respond(
    to request: Request, over channel: any NIOCore.Channel, isForOperators: Bool = false, by answer: Answering
  ) async throws -> Response {
    if request.head.isDevelopmentCall {
      return try await develop(request, over: channel, isForOperators: isForOperators, by: answer)
    }
    let lease = try people.server(over: channel)
    guard !isForOperators else { return try await answer(request, lease.server).response.holding(lease) }
    connections.note(channel)
    return try await respond(to: request, exchange(of: request, over: channel, lease), by: answer)
  }

  /// A request that the present server is about to answer.
  func exchange(of request: Request, over channel: any NIOCore.Channel) throws -> Exchange {
    exchange(of: request, over: channel, try people.server(over: channel))
  }

  private func exchange(of request: Request, over channel: any NIOCore.Channel, _ lease: ServerLease) -> Exchange {
    // The clock is read after the lease has begun: a reset sets it before it admits other requests.
    Exchange(request.head, over: channel, at: clock.now, lease)
  }

  /// Lets a server answer a request through all faults, and records the result.
  func respond(to request: Request, _ exchange: Exchange, by answer: Answering) async throws -> Response {
    let response: Response
    do {
      if faults.isIdle {
        response = try await self.answer(request, exchange, answer)
      } else {
        response = try await faults.respond(exchange, request) { try await self.answer($0, exchange, answer) }
      }
    } catch {
      journal.recordUnanswered(exchange)
      throw error
    }
    return await journal.recorded(response, of: exchange)
  }

  private func answer(_ request: Request, _ exchange: Exchange, _ answer: Answering) async throws -> Response {
    let answer = try await answer(exchange.watched(request), exchange.lease.server)
    exchange.learned(answer.learned)
    if let payment = answer.learned.payment { exchange.lease.standIns.note(payment) }
    if let chat = answer.learned.chat, !exchange.lease.isOver { scripts.heard(chat) }
    return answer.response
  }

  /// Answers a call under `/_dev`. It does not count as a call in progress at the server, because it may replace the server
  /// or wait for long.
  private func develop(
    _ request: Request, over channel: any NIOCore.Channel, isForOperators: Bool, by answer: Answering
  ) async throws -> Response {
    let place = developmentCalls.begin(over: channel)
    guard let server = current.server else { throw WorldError("the server has stopped") }
    let response = try await server.answerDevelopment(request, over: channel, isForOperators: isForOperators) { call in
      if let page = Console.answer(call.request, at: call.path) { return page }
      return try await respond(to: call)
    }
    if let response { return response.holding(place) }
    return try await answer(request, server).response.holding(place)
  }

  package var sockets: Sockets { Sockets(people: people, arrivals: journal.arrivals) }

  /// The parts of the contract that all requests have touched.
  package var coverage: Coverage { journal.coverage }

  /// Accepts calls again.
  func answer(_ calls: @escaping @Sendable (DevelopmentCall) async throws -> Response?) {
    further.withLock { $0 = calls }
  }

  /// Ends waiting calls with the reason; later calls end with the same reason. Returns when all calls are over; their
  /// answers may still have to be written.
  func end(because reason: WorldError) async { await calls.end(because: reason) }

  /// Ends waiting calls without waiting for them to return.
  func refuse(because reason: WorldError) { calls.refuse(because: reason) }

  /// The number of calls in progress, for tests.
  package var developmentCallsUnderWay: Int { calls.count }

  /// Whether a request is in progress, to the server or about it.
  var isBusy: Bool { calls.count > 0 || developmentCalls.count > 0 || current.callsUnderWay > 0 }

  /// The answer to a call about this server; nil if it has no such path. Throws `BadCall`.
  func respond(to call: DevelopmentCall) async throws -> Response? {
    do { return try await calls.run { [self] in try await answer(to: call) } } catch let error as WorldError {
      throw BadCall(error.description)
    }
  }
}
