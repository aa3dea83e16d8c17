import Logging
import MadangCore
import Storage

extension MadangServer {
  /// Opens another database and other files, to be put behind the server by ``exchange(for:keepsSockets:within:at:then:)``, for tests.
  ///
  /// - Parameters:
  ///   - settings: Those of the server with another place. The host, the port and the sockets' settings stay as they were.
  ///   - ids: Where ids and secrets come from.
  ///   - standIns: What those for other people's servers know.
  /// - Throws: ``SetupError``.
  package func open(_ settings: ServerSettings, ids: IDSource, _ standIns: StandIns) async throws -> OpenedBackend {
    let backend = try await Backend(settings, base, ids: ids)
    backend.service.development?.standIns = standIns
    return OpenedBackend(backend: backend)
  }

  /// Puts another database and other files behind the server. Requests and sockets that come afterwards meet them; calls under
  /// way are answered by the former ones.
  ///
  /// - Parameters:
  ///   - keepsSockets: Whether sockets stay in their rooms, as far as they have a right to be there. Else all are closed.
  ///   - limit: How long calls under way may go on; then their connections are closed.
  ///   - moment: Done at the moment of the exchange.
  ///   - then: Done right afterwards, while calls may still be under way at the former ones.
  /// - Returns: The former ones, when calls under way there are over, or have had their time: to be closed.
  package func exchange(
    for next: OpenedBackend, keepsSockets: Bool, within limit: Duration, at moment: () -> Void = {},
    then: () async -> Void = {}
  ) async -> OpenedBackend {
    OpenedBackend(
      backend: await current.exchange(
        for: next.backend, keepsSockets: keepsSockets, within: limit, base.socketIO, at: moment, then: then))
  }

  /// What the stand-ins for other people's servers know now.
  package var standIns: StandIns { current.backend.service.development?.standIns ?? StandIns() }
}

/// A database and files that may be put behind a server, or were behind one.
package struct OpenedBackend: Sendable {
  let backend: Backend

  /// Closes the database. Not for one that is behind a server.
  package func close() async { await backend.close() }
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
