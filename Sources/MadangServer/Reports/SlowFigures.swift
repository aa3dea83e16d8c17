import MadangCore
import MadangOperations
import ServiceLifecycle

/// Reads once a minute what `GET /metrics` shows of the database, so that a scrape does not wait for it.
struct SlowFigures: ServiceLifecycle.Service {
  let madang: Madang
  let metrics: Metrics

  func run() async throws { await every(.seconds(60), by: madang.clock) { await read() } }

  private func read() async {
    // Backups are made by other processes, too.
    if let newest = try? await madang.latestAudit(of: .backupMade) { metrics.setBackup(newest) }
  }
}
