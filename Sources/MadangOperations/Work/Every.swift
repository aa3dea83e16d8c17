import MadangCore
import ServiceLifecycle

/// Repeats a task until the server stops.
package func every(
  _ interval: Duration, by clock: Clock, atOnce: Bool = true, _ chore: @escaping @Sendable () async -> Void
) async {
  try? await cancelWhenGracefulShutdown {
    if atOnce { await chore() }
    while true {
      try await clock.sleep(for: interval)
      await chore()
    }
  }
}
