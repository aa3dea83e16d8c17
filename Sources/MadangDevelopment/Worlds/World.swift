import Foundation
import Logging
import MadangAPI
import MadangCore
import MadangServer
import Storage
import Synchronization

/// A server of its own for tests, in this process: its database, files, clock, ids, limits and port are nobody else's.
package final class World: Sendable {
  package let id: String
  package let name: String
  /// The name without capitals, by which hosts and calls may name it.
  let hostName: String
  package let seed: Seed
  package let number: UInt64?
  package let clock: Clock
  package let server: MadangServer
  package let kit: Kit
  package let port: Int
  private let address: String

  struct State {
    var ids: SeededRandom
    /// Where its data is now.
    var folder: URL
    /// On PostgreSQL.
    var database: WorldDatabase?
    var folders = 1
    var snapshots: [String: WorldState] = [:]
    /// Closes and removes what the world had before it returned to another moment.
    var tidying: Task<Void, Never>?
    var isOver = false
  }

  /// The directory of all that it has.
  package let home: URL
  let beginning: WorldState
  let settings: ServerSettings
  let state: Mutex<State>
  private let running: Task<Void, any Error>
  private let isEnding: EndingLog.Flag
  /// One thing at a time is done with it.
  private let turn = Places(1)

  package var url: String { "http://\(address):\(port)" }
  /// Those of its API that were given; else the development keys.
  package var keys: [String: EditionName] { settings.keys.isEmpty ? EditionName.developmentKeys : settings.keys }

  /// Starts a world; it accepts connections when this returns. Throws `SetupError`, and what files throw.
  /// - Parameters:
  ///   - home: A directory for it, which is not there yet.
  ///   - beginning: How it begins.
  init(
    id: String, _ plan: WorldPlan, in home: URL, from beginning: WorldState, _ settings: ServerSettings,
    address: String, pools: WorkerPools, logger: Logger
  ) async throws {
    self.address = address
    (self.id, name, seed, number) = (id, plan.name ?? id, plan.seed, plan.number)
    hostName = name.lowercased()
    (self.home, self.beginning) = (home, beginning)
    try FileManager.default.makeOwnDirectory(home)
    var settings = settings
    settings.port = plan.port
    // That of the server beside would lead there.
    settings.publicURL = ""
    settings.dataDirectory = home.appending(path: "1", directoryHint: .isDirectory)
    self.settings = settings
    let clock = Clock()
    beginning.set(clock)
    self.clock = clock
    let ids = beginning.makeRandom()
    let kit = Kit(clock: clock)
    self.kit = kit
    let isEnding = EndingLog.Flag()
    self.isEnding = isEnding
    do {
      let database = try await beginning.copy(to: settings.dataDirectory)
      settings.database.url = database?.url
      let server = try await buildServer(
        settings, clock: clock, ids: ids.ids, pools: pools, instruments: kit.instruments(),
        logger: EndingLog.around(logger, isEnding))
      self.server = server
      state = Mutex(State(ids: ids, folder: settings.dataDirectory, database: database))
      running = Task { try await server.run() }
      do { port = try await server.port } catch {
        isEnding.set()
        running.cancel()
        _ = await running.result
        guard let taken = (error as? SetupError)?.takenPort else { throw error }
        throw WorldError(
          "port: \(taken) is taken; stop what listens there, or give another: 0, or none, takes a free one")
      }
    } catch {
      try? FileManager.default.removeItem(at: home)
      throw error
    }
    server.assume(publicURL: url)
    kit.answer { [weak self] call in try await self?.respond(to: call) }
    await kit.scripts.replaceAll(by: seed.scripts)
  }

  /// Writes what there is now as a seed in YAML, in pieces. Throws ``WorldError``.
  package func exportSeed(_ sink: ([UInt8]) async throws -> Void) async throws {
    try await kit.people.server().answering { madang in
      var export = try await SeedExport(madang, name: name, .yaml)
      try await export.write(sink)
    }
  }

  /// How long answers that tell of the end may take to be written.
  private static let answerLimit: Duration = .seconds(1)

  /// Stops it and removes all that it has. Who waits for something in it is told so.
  package func end() async {
    await kit.end(because: removal)
    await enterTurn()
    defer { turn.leave() }
    let wasOver = state.withLock { state in
      defer { state.isOver = true }
      return state.isOver
    }
    guard !wasOver else { return }
    await kit.scripts.removeAll()
    await server.finishDevelopmentCalls(within: Self.answerLimit)
    isEnding.set()
    running.cancel()
    _ = await running.result
    state.withLock { ($0.snapshots, $0.database) = ([:], nil) }
    FileManager.default.removeDirectory(home)
  }

  private var removal: WorldError { WorldError("the world '\(id)' has been removed") }

  func inTurn(_ body: () async throws -> Void) async throws {
    await enterTurn()
    defer { turn.leave() }
    guard !state.withLock(\.isOver) else { throw removal }
    try await body()
  }

  private func enterTurn() async {
    await turn.enter()
    await state.withLock(\.tidying)?.value
  }
}
