import Foundation
import Logging
import MadangCore
import MadangOperations
import MadangServer
import Storage
import Synchronization

/// The worlds of this process.
package final class Worlds: Sendable {
  /// The default for the largest number of worlds.
  package static let limit = 1000

  struct Kind: Hashable {
    let seed: String
    let number: UInt64?
    let settings: WorldSettings
  }

  struct State {
    var worlds: [String: World] = [:]
    /// How many are being created.
    var coming = 0
    var last = 0
    var beginnings: [Kind: (state: WorldState, madeAt: Int64, usedAt: Int)] = [:]
    var uses = 0
    var folders = 0
    /// Coverage of worlds that have ended.
    var coverage = CoverageCounts()
    /// Worlds that are being removed.
    var leaving: [String: World] = [:]
    /// Names of worlds that have ended, in lower case.
    var formerNames = RecentValues<Void>(limit: Worlds.limit)
    /// The lengths of the leases that ended, in words, by ids and names in lower case.
    var expired = RecentValues<String>(limit: Worlds.limit)
    var watchesLeases = false
  }

  private let limit: Int
  let folder: WorldsFolder
  /// The server beside the worlds; nil if there is none.
  let server: ServerSettings?
  private let address: String
  let pools: WorkerPools
  let logger: Logger
  let state = Mutex(State())
  /// Lets one seed be planted at a time.
  let planting = AsyncSemaphore(1)

  /// - Parameters:
  ///   - server: The settings of the server that makes them: its access rules and sockets apply to theirs.
  ///   - address: Their address for clients.
  ///   - limit: The largest number of worlds.
  package init(
    beside server: ServerSettings? = nil, address: String = "127.0.0.1", limit: Int = Worlds.limit, logger: Logger
  ) throws {
    self.limit = limit
    folder = try WorldsFolder()
    self.server = server
    pools = WorkerPools(Worlds.settings(beside: server))
    self.address = address
    self.logger = logger
  }

  /// Creates a world; it accepts connections when this returns. Throws ``WorldError``, `SetupError`, ``PlantingProblem``.
  /// If the task is cancelled, nothing of the world remains.
  package func make(_ plan: WorldPlan) async throws -> World {
    let number = state.withLock { state -> Int? in
      guard state.worlds.count + state.coming < limit else { return nil }
      state.coming += 1
      state.last += 1
      return state.last
    }
    guard let number else { throw WorldError("there are already \(limit) worlds; remove some first") }
    var made: World?
    defer {
      state.withLock { state in
        state.coming -= 1
        if let made { state.worlds[made.id] = made }
      }
      if made?.lease != nil { watchLeases() }
    }
    let world = try await start("w\(number)", plan)
    guard !Task.isCancelled else {
      await world.end()
      throw CancellationError()
    }
    made = world
    return world
  }

  /// Starts a world on its planted seed, which is planted again if it was removed.
  private func start(_ id: String, _ plan: WorldPlan) async throws -> World {
    let home = folder.url.appending(path: id, directoryHint: .isDirectory)
    let settings = try settings(plan.settings)
    func start(from beginning: WorldState) async throws -> World {
      try await World(
        id: id, plan, in: home, from: beginning, settings, address: address, pools: pools, logger: logger)
    }
    let known = try await beginning(of: plan)
    do {
      do { return try await start(from: known) } catch let error where WorldState.mayBeGone(by: error) {
        forget(known)
        return try await start(from: try await beginning(of: plan))
      }
    } catch { throw WorldError.ofFiles(error, in: home) }
  }

  package subscript(id: String) -> World? { state.withLock { $0.worlds[id] } }

  /// The world with this id; otherwise those with this name, in lower case.
  package func worlds(named name: String) -> [World] {
    if let world = self[name] { return [world] }
    return inOrder(state.withLock { Array($0.worlds.values) }.filter { $0.hostName == name })
  }

  /// Whether a world that has ended had this name (in lower case), as far as it is remembered.
  package func hadWorld(named name: String) -> Bool { state.withLock { $0.formerNames[name] != nil } }

  /// Whether a text has the form of an id.
  package static func isID(_ text: String) -> Bool { text.wholeMatch(of: #/w[0-9]{1,9}/#) != nil }

  /// In order of their creation.
  package var all: [World] { inOrder(state.withLock { Array($0.worlds.values) }) }

  private func inOrder(_ worlds: [World]) -> [World] {
    worlds.sorted { ($0.id.count, $0.id) < ($1.id.count, $1.id) }
  }

  /// Stops a world and removes its data. False for an unknown id.
  package func remove(_ id: String) async -> Bool {
    let world = state.withLock { state in
      guard let world = state.worlds.removeValue(forKey: id) else { return nil as World? }
      state.leaving[id] = world
      if world.name != id { state.formerNames.set(world.hostName, ()) }
      return world
    }
    guard let world else { return false }
    await world.end()
    state.withLock { state in
      state.leaving[id] = nil
      state.coverage.add(world.kit.coverage.counts)
    }
    return true
  }

  /// The coverage of all worlds, also those that have ended.
  var coverage: CoverageCounts {
    state.withLock { state in
      var counts = state.coverage
      for world in [state.worlds, state.leaving].flatMap(\.values) { counts.add(world.kit.coverage.counts) }
      return counts
    }
  }

  func clearCoverage() {
    state.withLock { state in
      state.coverage = CoverageCounts()
      for world in [state.worlds, state.leaving].flatMap(\.values) { world.kit.coverage.clear() }
    }
  }

  package func removeAll() async {
    for world in all { _ = await remove(world.id) }
    state.withLock { $0.beginnings = [:] }
  }

  /// Removes all worlds and their shared data: no more can be created.
  package func end() async {
    await removeAll()
    removeFiles()
  }

  /// Removes all files at once, at the end of the process.
  package func removeFiles() { folder.remove() }
}
