import Logging
import MadangCore
import Synchronization

/// Whether the providers take notifications. Says when one stops and when it goes on, once each. While one takes nothing, those of the
/// other wait, too: a chat is told to all of its devices before the next.
final class PushOutage: Sendable {
  private struct State {
    /// What did not get through; nil while there is no outage.
    var notification: PushNotification?
    var isTried = false
    /// How many outages notifications of a device began since its provider last answered one of them.
    var begun = RecentValues<Int>(limit: PushOutage.maxCulprits)
  }

  /// Outages that the notifications of one device may begin one after the other. Each was over by what the provider answered to others:
  /// another one would be this device's alone.
  static let maxPerDevice = 2
  /// Devices of which that is counted.
  private static let maxCulprits = 1000

  private let logger: Logger
  private let state = Mutex(State())

  init(_ logger: Logger) { self.logger = logger }

  var isNow: Bool { state.withLock { $0.notification != nil } }

  /// The provider of this notification's device answered. Its outage ends, not another's.
  func ends(by answered: PushNotification) {
    let wasNow = state.withLock { state in
      if state.begun[answered.device.token] ?? 0 > 0 { state.begun.set(answered.device.token, 0) }
      guard let held = state.notification, held.device.isApple == answered.device.isApple else { return false }
      state.notification = nil
      return true
    }
    if wasNow { logger.notice("notifications are taken again") }
  }

  /// False if there is none: what was answered concerns the device alone, whose notifications have begun as many outages as they may.
  func begins(with notification: PushNotification, _ error: any Error) -> Bool {
    let token = notification.device.token
    let (isNow, isNew) = state.withLock { state in
      guard state.notification == nil else { return (true, false) }
      let begun = state.begun[token] ?? 0
      guard begun < Self.maxPerDevice else { return (false, false) }
      state.begun.set(token, begun + 1)
      state.notification = notification
      return (true, true)
    }
    guard isNew else { return isNow }
    logger.warning(
      "the provider takes no notifications now; they wait for it", metadata: ["error": "\(String(reflecting: error))"])
    return true
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
