import Logging
import MadangCore
import Storage

/// Creates an installation at the place of these settings, without a server, and lets `body` fill it. Throws
/// ``SetupError``.
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
