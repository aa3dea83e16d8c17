import Foundation
import Logging
import MadangCore
import MadangServer
import Storage
import Synchronization

/// A server of its own for tests, in this process: its database, files, clock, ids, limits and port are nobody else's.
package final class World: Sendable {
  package let id: String
  package let name: String
  package let seed: Seed
  package let number: UInt64?
  package let clock: Clock
  package let server: MadangServer
  package let kit: Kit
  /// On 127.0.0.1.
  package let port: Int

  private struct State {
    var ids: SeededRandom
    /// Where its data is now.
    var folder: URL
    var folders = 1
    var snapshots: [String: WorldState] = [:]
    var isOver = false
  }

  private let home: URL
  private let beginning: WorldState
  private let settings: ServerSettings
  private let state: Mutex<State>
  private let running: Task<Void, any Error>
  /// One thing at a time is done with it.
  private let turn = Places(1)

  /// The most moments of one world that are kept.
  package static let maxSnapshots = 100

  package var url: String { "http://127.0.0.1:\(port)" }

  /// Starts a world; it accepts connections when this returns.
  /// - Parameters:
  ///   - home: A directory for it, which is not there yet.
  ///   - beginning: How it begins.
  init(
    id: String, _ plan: WorldPlan, in home: URL, from beginning: WorldState, _ settings: ServerSettings,
    pools: WorkerPools, logger: Logger
  ) async throws {
    (self.id, name, seed, number) = (id, plan.name ?? id, plan.seed, plan.number)
    (self.home, self.beginning) = (home, beginning)
    try FileManager.default.createDirectory(
      at: home, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    var settings = settings
    settings.port = plan.port
    settings.dataDirectory = home.appending(path: "1", directoryHint: .isDirectory)
    self.settings = settings
    let clock = Clock()
    beginning.set(clock)
    self.clock = clock
    let ids = beginning.makeRandom()
    let kit = Kit(clock: clock)
    self.kit = kit
    do {
      try beginning.copy(to: settings.dataDirectory)
      let server = try await buildServer(
        settings, clock: clock, ids: ids.ids, pools: pools, instruments: kit.instruments, logger: logger)
      self.server = server
      state = Mutex(State(ids: ids, folder: settings.dataDirectory))
      running = Task { try await server.run() }
      do { port = try await server.port } catch {
        running.cancel()
        _ = await running.result
        throw error
      }
    } catch {
      try? FileManager.default.removeItem(at: home)
      throw error
    }
    kit.answer { [weak self] call in try await self?.respond(to: call) }
  }

  /// Returns to how it began. Clock and ids begin anew as well; faults stay.
  /// - Parameter keepsSockets: Whether sockets stay in rooms where they still have a right to be; else all are closed.
  package func reset(keepsSockets: Bool = false) async throws { try await put(beginning, keepsSockets) }

  /// Keeps how it is now, under a name; the one that had the name is forgotten.
  package func snapshot(_ name: String) async throws {
    try await inTurn {
      let (number, isFull) = state.withLock { state in
        state.folders += 1
        return (state.folders, state.snapshots[name] == nil && state.snapshots.count >= Self.maxSnapshots)
      }
      guard !isFull else {
        throw WorldError("a world keeps \(Self.maxSnapshots) snapshots; remove one, or use a name again")
      }
      let folder = home.appending(path: "\(number)", directoryHint: .isDirectory)
      let now = state.withLock { $0.folder }
      try FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
      do {
        // Rows first: of what comes meanwhile there is a file without a row, never a row without its file.
        try await server.madang.database.copy(to: WorldState.database(in: folder).path)
        for name in ["files", "secrets"] {
          try WorldState.link(now.appending(path: name), to: folder.appending(path: name))
        }
      } catch {
        try? FileManager.default.removeItem(at: folder)
        throw error
      }
      let time: WorldState.Time =
        self.number == nil && clock.rate == 1
        ? .ahead(clock.now - Clock.systemTime()) : .at(clock.now, rate: clock.rate)
      let ids = self.number == nil ? nil : state.withLock { $0.ids.position }
      let kept = WorldState(folder: folder, time: time, ids: ids)
      state.withLock { $0.snapshots[name] = kept }
    }
  }

  package var snapshots: [String] { state.withLock { $0.snapshots.keys.sorted() } }

  /// Returns to how it was. Throws ``WorldError`` if nothing is kept under this name.
  package func restore(_ name: String, keepsSockets: Bool = false) async throws {
    guard let kept = state.withLock({ $0.snapshots[name] }) else { throw noSuchSnapshot(name) }
    try await put(kept, keepsSockets)
  }

  package func removeSnapshot(_ name: String) throws {
    guard state.withLock({ $0.snapshots.removeValue(forKey: name) }) != nil else { throw noSuchSnapshot(name) }
  }

  private func noSuchSnapshot(_ name: String) -> WorldError {
    let names = snapshots
    return WorldError(
      "there is no snapshot '\(name)'; "
        + (names.isEmpty ? "none was made" : "there are \(names.joined(separator: ", "))"))
  }

  private func put(_ next: WorldState, _ keepsSockets: Bool) async throws {
    try await inTurn {
      let number = state.withLock { state in
        state.folders += 1
        return state.folders
      }
      var settings = settings
      settings.dataDirectory = home.appending(path: "\(number)", directoryHint: .isDirectory)
      let ids = next.makeRandom()
      do {
        try next.copy(to: settings.dataDirectory)
        try await server.exchange(settings, ids: ids.ids, keepsSockets: keepsSockets) { next.set(clock) }
      } catch {
        try? FileManager.default.removeItem(at: settings.dataDirectory)
        throw error
      }
      let former = state.withLock { state in
        defer { (state.folder, state.ids) = (settings.dataDirectory, ids) }
        return state.folder
      }
      try? FileManager.default.removeItem(at: former)
    }
  }

  /// Stops it and removes all that it has.
  package func end() async {
    await turn.enter()
    defer { turn.leave() }
    let wasOver = state.withLock { state in
      defer { state.isOver = true }
      return state.isOver
    }
    guard !wasOver else { return }
    running.cancel()
    _ = await running.result
    state.withLock { $0.snapshots = [:] }
    try? FileManager.default.removeItem(at: home)
  }

  private func inTurn(_ body: () async throws -> Void) async throws {
    await turn.enter()
    defer { turn.leave() }
    guard !state.withLock(\.isOver) else { throw WorldError("the world '\(id)' has been removed") }
    try await body()
  }
}
