import Foundation
import Logging
import MadangCore
import MadangOperations
import MadangServer
import SocketIOServer
import Storage
import Synchronization

/// One of the successive servers of a world, with its database and files.
final class OpenedServer: Sendable {
  let running: CurrentServer.Running
  /// The directory of its data.
  let folder: URL
  private let work = Mutex<Task<Void, any Error>?>(nil)

  /// Opens a server without a listener on a copy of a state. Throws `SetupError`, and what files throw.
  /// - Parameter folder: Must not exist yet.
  init(
    _ state: WorldState, in folder: URL, _ settings: ServerSettings, _ kit: TestKit, ids: SeededRandom,
    _ pools: WorkerPools, _ ledger: Ledger, logger: Logger
  ) async throws {
    self.folder = folder
    do {
      try state.copy(to: folder)
      var settings = settings
      settings.dataDirectory = folder
      kit.journal.token.withLock { $0 = settings.developmentToken }
      let calls = CallsUnderWay()
      let standIns = kit.standIns(ids.ids, of: calls)
      if let moment = state.standIns { standIns.moment = moment }
      let server = try await buildServer(
        settings, clock: kit.clock, ids: ids.ids, pools: pools, ledger: ledger, listens: false,
        surroundings: kit.surroundings(standIns), annex: kit.annex, logger: logger)
      running = CurrentServer.Running(server: server, calls: calls, standIns: standIns)
    } catch {
      try? FileManager.default.removeItem(at: folder)
      throw error
    }
  }

  var server: MadangServer { running.server }

  /// Starts the background work.
  func start() { work.withLock { $0 = Task { [server] in try await server.run() } } }

  /// Ends the work and closes the database, when no call is in progress any more.
  func end() async {
    let work = work.withLock(\.self)
    guard let work else { return await server.close() }
    // Does not wait for clients that have not answered a close frame.
    await server.socketIO.dropConnections()
    work.cancel()
    _ = await work.result
  }
}
