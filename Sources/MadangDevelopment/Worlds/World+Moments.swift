import Foundation
import MadangCore
import MadangServer
import Storage
import Synchronization

/// Resets of a world, and its snapshots.
extension World {
  /// The largest number of snapshots of one world.
  package static let maxSnapshots = 100
  /// The default for how long calls may continue at a reset or restore; then their connections are closed.
  package static let callLimit: Duration = .seconds(2)
  /// The largest value of it.
  package static let longestCallLimit: Duration = .seconds(60)

  /// Returns to the initial data. Clock, ids and the journal are reset, too; faults stay; sockets are closed. Throws
  /// ``WorldError`` and `SetupError` and then changes nothing.
  /// - Parameter limit: How long calls may continue on the former data.
  package func reset(within limit: Duration = callLimit) async throws {
    try await put(beginning, within: limit) { kit.journal.beginAnew() }
  }

  /// Returns to a snapshot; the journal continues. Throws like ``reset(within:)``, also for an unknown name.
  package func restore(_ name: String, within limit: Duration = callLimit) async throws {
    guard let kept = state.withLock({ $0.snapshots[name] }) else { throw noSuchSnapshot(name) }
    try await put(kept, within: limit) {}
  }

  /// Saves the present state as a snapshot; it replaces one of the same name. Throws ``WorldError`` and then changes
  /// nothing.
  package func snapshot(_ name: String) async throws {
    try await inTurn {
      let isFull = state.withLock { $0.snapshots[name] == nil && $0.snapshots.count >= Self.maxSnapshots }
      guard !isFull else {
        throw WorldError("a world keeps at most \(Self.maxSnapshots) snapshots; remove one, or reuse a name")
      }
      let folder = nextFolder()
      let server = state.withLock(\.server)
      do {
        try FileManager.default.makeOwnDirectory(folder)
        // Rows first: data that comes meanwhile may then have a file without a row, but never a row without its file.
        try await server.server.madang.database.copy(to: WorldState.database(in: folder).path)
        try WorldState.linkFiles(of: server.folder, to: folder)
      } catch {
        try? FileManager.default.removeItem(at: folder)
        throw WorldError.ofFiles(error, in: folder)
      }
      let time: WorldState.Time =
        self.number == nil && clock.rate == 1
        ? .ahead(clock.now - Clock.systemTime()) : .at(clock.now, rate: clock.rate)
      let ids = self.number == nil ? nil : state.withLock { $0.ids.position }
      let kept = WorldState(folder: folder, time: time, ids: ids, server.running.standIns.moment)
      state.withLock { $0.snapshots[name] = kept }
    }
  }

  package var snapshots: [String] { state.withLock { $0.snapshots.keys.sorted() } }

  package func removeSnapshot(_ name: String) throws {
    guard state.withLock({ $0.snapshots.removeValue(forKey: name) }) != nil else { throw noSuchSnapshot(name) }
  }

  private func noSuchSnapshot(_ name: String) -> WorldError {
    let names = snapshots
    return WorldError(
      "there is no snapshot '\(name)'; "
        + (names.isEmpty ? "none was made" : "there are \(names.joined(separator: ", "))"))
  }

  /// A directory that does not exist yet.
  private func nextFolder() -> URL {
    let number = state.withLock { state in
      state.folders += 1
      return state.folders
    }
    return home.appending(path: "\(number)", directoryHint: .isDirectory)
  }

  /// - Parameter change: Runs before any call reaches the new server.
  private func put(_ moment: WorldState, within limit: Duration, at change: () -> Void) async throws {
    try await inTurn {
      let (folder, ids) = (nextFolder(), moment.makeRandom())
      let next: OpenedServer
      do { next = try await open(moment, in: folder, ids: ids) } catch { throw WorldError.ofFiles(error, in: folder) }
      // Nothing can fail from here on.
      await kit.scripts.removeAll()
      await kit.journal.beforeExchange()
      let former = exchange(for: next, ids: ids) {
        moment.set(clock)
        kit.journal.exchanged()
        kit.faults.forgetAccounts()
        change()
      }
      await former.server.endSessions()
      await kit.faults.learnAccounts()
      await kit.scripts.replaceAll(by: seed.scripts)
      await former.running.calls.finish(within: limit)
      // The caller need not wait for this.
      let tidying = Task {
        await former.end()
        FileManager.default.removeDirectory(former.folder)
      }
      state.withLock { $0.tidying = tidying }
    }
  }
}
