import Logging
import MadangCore
import Storage

extension MadangServer {
  /// Puts another database and other files behind the server, for tests. Requests and sockets that come afterwards meet them;
  /// calls under way are answered by the former ones, which are closed when this returns.
  ///
  /// - Parameters:
  ///   - settings: Those of the server with another place. The host, the port and the sockets' settings stay as they were.
  ///   - ids: Where ids and secrets come from.
  ///   - keepsSockets: Whether sockets stay in their rooms, as far as they have a right to be there. Else all are closed.
  ///   - moment: Done at the moment of the exchange.
  /// - Throws: ``SetupError``; then all is as before.
  package func exchange(
    _ settings: ServerSettings, ids: IDSource, keepsSockets: Bool, at moment: () -> Void = {}
  ) async throws {
    let next = try await Backend(settings, base, ids: ids)
    try await current.exchange(for: next, keepsSockets: keepsSockets, base.socketIO, at: moment)
  }
}

/// Makes an installation at the place of these settings, without a server, and has `body` fill it. Throws ``SetupError``.
package func makeInstallation(
  _ settings: ServerSettings, clock: Clock, ids: IDSource, pools: WorkerPools, logger: Logger,
  _ body: (Madang) async throws -> Void
) async throws {
  try settings.makeDataDirectory()
  let secrets = try Secrets(directory: settings.secretsDirectory, ids: ids)
  let opened = try await openMadang(
    settings, clock: clock, ids: ids, pools: pools, logger: logger, announce: { _ in },
    prepare: { try await $0.migrateOwnDatabase(settings) })
  let (madang, _) = try await opened.settled(settings, secrets)
  do { try await body(madang) } catch {
    await madang.database.close()
    throw error
  }
  await madang.database.close()
}
