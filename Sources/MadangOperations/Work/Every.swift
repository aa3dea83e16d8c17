import MadangCore
import ServiceLifecycle

/// Does a chore again and again until the server is to stop.
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
