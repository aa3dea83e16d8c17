import Foundation
import Logging
import MadangCore
import MadangServer
import Synchronization

/// The worlds of this process.
package final class Worlds: Sendable {
  /// The most worlds at a time.
  package static let limit = 1000
  /// How long a state of a seed is used for worlds whose clock shows the real time, in milliseconds: its moments lie behind by so
  /// much at most.
  private static let freshness: Int64 = 60_000

  private struct Kind: Hashable {
    let seed: String
    let number: UInt64?
  }

  private struct State {
    var worlds: [String: World] = [:]
    var last = 0
    var beginnings: [Kind: (state: WorldState, madeAt: Int64)] = [:]
    var folders = 0
  }

  private let folder: WorldsFolder
  private let settings: ServerSettings
  private let pools = WorkerPools()
  private let logger: Logger
  private let state = Mutex(State())
  /// One seed is planted at a time.
  private let planting = Places(1)

  /// - Parameter settings: What all worlds have; the place of their data is not.
  package init(_ settings: ServerSettings = Worlds.settings, logger: Logger) throws {
    folder = try WorldsFolder()
    self.settings = settings
    self.logger = logger
  }

  /// What worlds have unless somebody wants otherwise: development mode, passwords that cost little, one thread that reads.
  package static var settings: ServerSettings {
    var settings = ServerSettings()
    settings.isDevelopment = true
    settings.databaseReaders = 1
    settings.passwordMemory = 8
    settings.passwordPasses = 1
    return settings
  }

  /// Makes a world; it accepts connections when this returns. Throws ``WorldError``, `SetupError`, ``PlantingProblem``.
  package func make(_ plan: WorldPlan) async throws -> World {
    let number = state.withLock { state -> Int? in
      guard state.worlds.count < Self.limit else { return nil }
      state.last += 1
      return state.last
    }
    guard let number else { throw WorldError("there are \(Self.limit) worlds; remove some first") }
    let beginning = try await beginning(of: plan)
    let id = "w\(number)"
    let world = try await World(
      id: id, plan, in: folder.url.appending(path: id, directoryHint: .isDirectory), from: beginning, settings,
      pools: pools, logger: logger)
    state.withLock { $0.worlds[id] = world }
    return world
  }

  package subscript(id: String) -> World? { state.withLock { $0.worlds[id] } }

  /// In the order in which they were made.
  package var all: [World] {
    state.withLock { Array($0.worlds.values) }.sorted { ($0.id.count, $0.id) < ($1.id.count, $1.id) }
  }

  /// Stops a world and removes all that it has. False if there is none of this id.
  package func remove(_ id: String) async -> Bool {
    guard let world = state.withLock({ $0.worlds.removeValue(forKey: id) }) else { return false }
    await world.end()
    return true
  }

  package func removeAll() async {
    for world in all { _ = await remove(world.id) }
  }

  // MARK: Beginnings

  /// How worlds of this kind begin; planted once, and again from time to time where its moments follow the real time.
  private func beginning(of plan: WorldPlan) async throws -> WorldState {
    let kind = Kind(seed: plan.seed.digest, number: plan.number)
    if let known = known(kind) { return known }
    await planting.enter()
    defer { planting.leave() }
    if let known = known(kind) { return known }
    let made = try await plant(plan.seed, number: plan.number)
    state.withLock { $0.beginnings[kind] = (made, Clock.systemTime()) }
    return made
  }

  private func known(_ kind: Kind) -> WorldState? {
    guard let (known, madeAt) = state.withLock({ $0.beginnings[kind] }) else { return nil }
    return kind.number != nil || Clock.systemTime() - madeAt < Self.freshness ? known : nil
  }

  private func plant(_ seed: Seed, number: UInt64?) async throws -> WorldState {
    let place = state.withLock { state in
      state.folders += 1
      return folder.url.appending(path: "seed-\(state.folders)", directoryHint: .isDirectory)
    }
    var settings = settings
    settings.dataDirectory = place
    let clock = Clock()
    if number != nil {
      clock.run(at: 0)
      clock.set(seed.start)
    }
    // A number of its own for each seed, so that worlds of two seeds have other ids.
    let digest = UInt64(seed.digest, radix: 16) ?? 0
    let ids = SeededRandom(number.map { $0 &* 0x2545_F491_4F6C_DD1D ^ digest } ?? .random(in: 0...(.max)))
    do {
      try await makeInstallation(settings, clock: clock, ids: ids.ids, pools: pools, logger: logger) { madang in
        try await madang.plant(try seed.planting(at: clock.now))
      }
    } catch {
      try? FileManager.default.removeItem(at: place)
      throw error
    }
    guard number != nil else { return WorldState(folder: place, time: .ahead(0), ids: nil) }
    return WorldState(folder: place, time: .at(seed.start, rate: 0), ids: ids.position)
  }
}
