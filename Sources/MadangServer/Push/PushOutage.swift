import Logging
import Synchronization

/// Whether the providers take notifications. Says when one stops and when it goes on, once each. While one takes nothing, those of the
/// other wait, too: a chat is told to all of its devices before the next.
final class PushOutage: Sendable {
  private struct State {
    /// What did not get through; nil while there is no outage.
    var notification: PushNotification?
    var isTried = false
  }

  private let logger: Logger
  private let state = Mutex(State())

  init(_ logger: Logger) { self.logger = logger }

  var isNow: Bool { state.withLock { $0.notification != nil } }

  /// The provider of this notification's device answered. Its outage ends, not another's.
  func ends(by answered: PushNotification) {
    let wasNow = state.withLock { state in
      guard let held = state.notification, held.device.isApple == answered.device.isApple else { return false }
      state.notification = nil
      return true
    }
    if wasNow { logger.notice("notifications are taken again") }
  }

  func begins(with notification: PushNotification, _ error: any Error) {
    let isNew = state.withLock { state in
      guard state.notification == nil else { return false }
      state.notification = notification
      return true
    }
    guard isNew else { return }
    logger.warning(
      "the provider takes no notifications now; they wait for it", metadata: ["error": "\(String(reflecting: error))"])
  }

  /// What the provider is to be tried with until the outage is over; nil if somebody does so already. Whoever has it says when
  /// they stop (``stopTrying()``).
  func startTrying() -> PushNotification? {
    state.withLock { state in
      guard !state.isTried, let notification = state.notification else { return nil }
      state.isTried = true
      return notification
    }
  }

  func stopTrying() { state.withLock { $0.isTried = false } }
}
