import Foundation
import Logging
import MadangCore
import MadangOperations
import MadangServer
import SocketIOServer
import Storage
import Synchronization

/// One of the servers that follow one another in a world, with its database and files.
final class OpenedServer: Sendable {
  let running: CurrentServer.Running
  /// Where its data is.
  let folder: URL
  /// On PostgreSQL; dropped with this, which cuts connections that are still open.
  let database: WorldDatabase?
  private let work = Mutex<Task<Void, any Error>?>(nil)

  /// Opens a server without a listener on a copy of a state. Throws `SetupError`, and what files throw.
  /// - Parameter folder: Is not there yet.
  init(
    _ state: WorldState, in folder: URL, _ settings: ServerSettings, _ kit: Kit, ids: SeededRandom,
    _ pools: WorkerPools, _ ledger: Ledger, logger: Logger
  ) async throws {
    self.folder = folder
    do {
      let database = try await state.copy(to: folder)
      self.database = database
      var settings = settings
      (settings.dataDirectory, settings.database.url) = (folder, database?.url)
      let calls = CallsUnderWay()
      let server = try await buildServer(
        settings, clock: kit.clock, ids: ids.ids, pools: pools, ledger: ledger, listens: false,
        surroundings: kit.surroundings(of: calls), logger: logger)
      server.standIns = state.standIns
      running = CurrentServer.Running(server: server, calls: calls)
    } catch {
      try? FileManager.default.removeItem(at: folder)
      throw error
    }
  }

  var server: MadangServer { running.server }

  /// Begins the work beside the requests.
  func start() { work.withLock { $0 = Task { [server] in try await server.run() } } }

  /// Ends the work, and closes the database. No call is under way any more.
  func end() async {
    let work = work.withLock(\.self)
    guard let work else { return await server.close() }
    // Clients that have not answered a close frame by now are not waited for.
    await server.socketIO.dropConnections()
    work.cancel()
    _ = await work.result
  }
}
