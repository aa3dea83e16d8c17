import Foundation
import Hummingbird
import Logging
import MadangAPI
import MadangCore
import MadangOperations
import MadangServer
import NIOCore
import Storage
import Synchronization

/// A separate server for tests in this process, with its own database, files, clock, ids, limits and port.
package final class World: Sendable {
  package let id: String
  package let name: String
  /// The name in lower case, for hosts and calls.
  let hostName: String
  package let seed: Seed
  package let number: UInt64?
  package let clock: Clock
  package let kit: TestKit
  package let port: Int
  package let lease: WorldLease?
  package let givenSettings: WorldSettings
  private let address: String

  struct State {
    var ids: SeededRandom
    var server: OpenedServer
    var folders = 1
    var snapshots: [String: WorldState] = [:]
    /// Closes and removes the world's former data after a reset or restore.
    var tidying: Task<Void, Never>?
    var isOver = false
  }

  /// The directory of its data.
  package let home: URL
  let beginning: WorldState
  let state: Mutex<State>
  private let settings: ServerSettings
  private let listener: WorldPort
  private let pools: WorkerPools
  private let ledger: Ledger
  private let logger: Logger
  private let isEnding: EndingLog.Flag
  /// Lets one operation on the world run at a time.
  private let turn = AsyncSemaphore(1)

  package var url: String { "http://\(address):\(port)" }
  /// The given API keys; otherwise the development keys.
  package var keys: [String: EditionName] { settings.keys.isEmpty ? EditionName.developmentKeys : settings.keys }

  /// Starts a world; it accepts connections when this returns. Throws `SetupError`, and what files throw.
  /// - Parameters:
  ///   - home: Its directory, which does not exist yet.
  ///   - beginning: Its initial data.
  init(
    id: String, _ plan: WorldPlan, in home: URL, from beginning: WorldState, _ settings: ServerSettings,
    address: String, pools: WorkerPools, logger: Logger
  ) async throws {
    self.address = address
    (self.id, name, seed, number) = (id, plan.name ?? id, plan.seed, plan.number)
    hostName = name.lowercased()
    (self.home, self.beginning, givenSettings) = (home, beginning, plan.settings)
    let lease = plan.ttl.map(WorldLease.init)
    self.lease = lease
    try FileManager.default.makeOwnDirectory(home)
    var settings = settings
    settings.port = plan.port
    // The URL of the server beside it would lead to that server.
    settings.publicURL = ""
    settings.dataDirectory = home.appending(path: "1", directoryHint: .isDirectory)
    self.settings = settings
    self.pools = pools
    let ledger = Ledger(settings)
    self.ledger = ledger
    let clock = Clock()
    beginning.set(clock)
    self.clock = clock
    let ids = beginning.makeRandom()
    let kit = TestKit(clock: clock)
    self.kit = kit
    let isEnding = EndingLog.Flag()
    self.isEnding = isEnding
    let logger = EndingLog.around(logger, isEnding)
    self.logger = logger
    do {
      let first = try await OpenedServer(
        beginning, in: settings.dataDirectory, settings, kit, ids: ids, pools, ledger, logger: logger)
      listener = WorldPort(kit, lease, before: first.server, settings, ledger, logger: logger)
      kit.current.put(first.running)
      state = Mutex(State(ids: ids, server: first))
      do { port = try await listener.open() } catch {
        await first.end()
        kit.serverHasEnded()
        guard let taken = (error as? SetupError)?.takenPort else { throw error }
        throw WorldError(
          "port: \(taken) is in use; stop the other program, or choose another port: 0, or none, chooses a free one")
      }
      first.server.assume(publicURL: url)
      first.start()
    } catch {
      try? FileManager.default.removeItem(at: home)
      throw error
    }
    kit.answer { [weak self] call in try await self?.respond(to: call) }
    await kit.scripts.replaceAll(by: seed.scripts)
  }

  /// A server of this world in its own directory, which does not exist yet.
  func open(_ moment: WorldState, in folder: URL, ids: SeededRandom) async throws -> OpenedServer {
    let next = try await OpenedServer(moment, in: folder, settings, kit, ids: ids, pools, ledger, logger: logger)
    next.server.assume(publicURL: url)
    return next
  }

  /// Replaces the answering server.
  /// - Parameter moment: Runs before any call reaches the new server.
  func exchange(for next: OpenedServer, ids: SeededRandom, at moment: () -> Void) -> OpenedServer {
    kit.current.put(next.running, at: moment)
    listener.lead(to: next.server.socketIO)
    next.start()
    return state.withLock { state in
      defer { (state.server, state.ids) = (next, ids) }
      return state.server
    }
  }

  /// Answers a request, which may come through another port.
  func port(answers request: Request, over channel: any NIOCore.Channel) async throws -> Response {
    try await listener.respond(to: request, over: channel)
  }

  /// The present server.
  package var server: MadangServer { state.withLock(\.server).server }
  /// The number of its calls in progress, for tests.
  package var callsUnderWay: Int { kit.current.callsUnderWay }

  /// Exports the present data as a seed in YAML, in pieces. Throws ``WorldError``.
  package func exportSeed(_ sink: ([UInt8]) async throws -> Void) async throws {
    try await kit.people.server().answering { madang in
      var export = try await SeedExport(madang, name: name, .yaml)
      try await export.write(sink)
    }
  }

  /// How long answers about the end may take to be written.
  private static let answerLimit: Duration = .seconds(1)

  /// Stops the world and removes its data. Calls that wait in it get an error.
  package func end() async {
    await kit.end(because: removal)
    await enterTurn()
    defer { turn.signal() }
    let wasOver = state.withLock { state in
      defer { state.isOver = true }
      return state.isOver
    }
    guard !wasOver else { return }
    await kit.scripts.removeAll()
    await kit.developmentCalls.finish(within: Self.answerLimit)
    isEnding.set()
    let last = state.withLock { state in
      state.snapshots = [:]
      return state.server
    }
    // Waiting polls would delay the listener.
    await last.server.endSessions()
    await last.running.calls.finish(within: Self.answerLimit)
    await listener.close()
    await last.end()
    kit.serverHasEnded()
    FileManager.default.removeDirectory(home)
  }

  private var removal: WorldError { WorldError("the world '\(id)' has been removed") }

  func inTurn(_ body: () async throws -> Void) async throws {
    await enterTurn()
    defer { turn.signal() }
    guard !state.withLock(\.isOver) else { throw removal }
    try await body()
  }

  private func enterTurn() async {
    await turn.wait()
    await state.withLock(\.tidying)?.value
  }
}
