import Foundation
import MadangCore
import MadangServer
import Storage
import Synchronization

/// How a world returns to its beginning, or to another moment that was kept.
extension World {
  /// The most moments of one world that are kept.
  package static let maxSnapshots = 100
  /// How long calls under way may go on when the world returns to another moment, unless somebody says otherwise; then their
  /// connections are closed.
  package static let callLimit: Duration = .seconds(2)
  /// The most that can be said.
  package static let longestCallLimit: Duration = .seconds(60)

  /// Returns to how it began. Clock, ids and the journal begin anew as well; faults stay. Throws ``WorldError`` and `SetupError`;
  /// then all goes on as it was.
  /// - Parameters:
  ///   - keepsSockets: Whether sockets stay in rooms where they still have a right to be; else all are closed.
  ///   - limit: How long calls under way may go on, on what was there before.
  package func reset(keepsSockets: Bool = false, within limit: Duration = callLimit) async throws {
    try await put(beginning, keepsSockets, within: limit) { kit.journal.beginAnew() }
  }

  /// Returns to how it was; the journal goes on. Throws as ``reset(keepsSockets:within:)`` does, also if nothing is kept under
  /// this name.
  package func restore(_ name: String, keepsSockets: Bool = false, within limit: Duration = callLimit) async throws {
    guard let kept = state.withLock({ $0.snapshots[name] }) else { throw noSuchSnapshot(name) }
    try await put(kept, keepsSockets, within: limit) {}
  }

  /// Keeps how it is now, under a name; the one that had the name is forgotten. Throws ``WorldError``; then nothing has changed.
  package func snapshot(_ name: String) async throws {
    try await inTurn {
      let isFull = state.withLock { $0.snapshots[name] == nil && $0.snapshots.count >= Self.maxSnapshots }
      guard !isFull else {
        throw WorldError("a world keeps \(Self.maxSnapshots) snapshots; remove one, or use a name again")
      }
      let folder = nextFolder()
      let (now, database) = state.withLock { ($0.folder, $0.database) }
      var copy: WorldDatabase?
      do {
        try FileManager.default.makeOwnDirectory(folder)
        // Rows first: of what comes meanwhile there is a file without a row, never a row without its file.
        if let database {
          copy = try await database.copyInUse()
        } else {
          try await server.madang.database.copy(to: WorldState.database(in: folder).path)
        }
        try WorldState.linkFiles(of: now, to: folder)
      } catch {
        try? FileManager.default.removeItem(at: folder)
        throw WorldError.ofFiles(error, in: folder)
      }
      let time: WorldState.Time =
        self.number == nil && clock.rate == 1
        ? .ahead(clock.now - Clock.systemTime()) : .at(clock.now, rate: clock.rate)
      let ids = self.number == nil ? nil : state.withLock { $0.ids.position }
      let kept = WorldState(folder: folder, copy, time: time, ids: ids, server.standIns)
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

  /// A directory that is not there yet.
  private func nextFolder() -> URL {
    let number = state.withLock { state in
      state.folders += 1
      return state.folders
    }
    return home.appending(path: "\(number)", directoryHint: .isDirectory)
  }

  /// - Parameter moment: Done when the other state answers from now on.
  private func put(
    _ next: WorldState, _ keepsSockets: Bool, within limit: Duration, at moment: () -> Void
  ) async throws {
    try await inTurn {
      var settings = settings
      settings.dataDirectory = nextFolder()
      settings.publicURL = url
      let ids = next.makeRandom()
      let (database, opened): (WorldDatabase?, OpenedBackend)
      do {
        database = try await next.copy(to: settings.dataDirectory)
        settings.database.url = database?.url
        opened = try await server.open(settings, ids: ids.ids, next.standIns)
      } catch {
        try? FileManager.default.removeItem(at: settings.dataDirectory)
        throw WorldError.ofFiles(error, in: settings.dataDirectory)
      }
      // Nothing can fail from here on.
      await kit.scripts.removeAll()
      await kit.journal.beforeExchange()
      let formerBackend = await server.exchange(for: opened, keepsSockets: keepsSockets, within: limit) {
        next.set(clock)
        kit.journal.exchanged()
        kit.faults.forgetAccounts()
        moment()
      } then: {
        await kit.faults.learnAccounts()
        await kit.scripts.replaceAll(by: seed.scripts)
      }
      state.withLock { state in
        let (formerFolder, formerDatabase) = (state.folder, state.database)
        (state.folder, state.database, state.ids) = (settings.dataDirectory, database, ids)
        // Whoever asked need not wait for it.
        state.tidying = Task {
          await formerBackend.close()
          // Dropped with its last reference, which cuts connections that are still open.
          withExtendedLifetime(formerDatabase) {}
          FileManager.default.removeDirectory(formerFolder)
        }
      }
    }
  }
}
