import Logging
import MadangCore
import Synchronization

/// Whether the providers accept notifications. Logs the begin and the end of an outage, once each. While one provider is
/// out, notifications of the other wait, too: a chat goes to all of its devices before the next chat.
final class PushOutage: Sendable {
  private struct State {
    /// The notification that failed; nil while there is no outage.
    var notification: PushNotification?
    var isTried = false
    /// How many outages the notifications of a device have started since its provider last answered one of them.
    var begun = RecentValues<Int>(limit: PushOutage.maxCulprits)
  }

  /// The most outages that one device may start in a row. Each ended when the provider answered other devices, so a further
  /// one would concern this device only.
  static let maxPerDevice = 2
  /// The number of devices for which outages are counted.
  private static let maxCulprits = 1000

  private let logger: Logger
  private let state = Mutex(State())

  init(_ logger: Logger) { self.logger = logger }

  var isNow: Bool { state.withLock { $0.notification != nil } }

  /// The provider of this notification's device answered. Its own outage ends, not another provider's.
  func ends(by answered: PushNotification) {
    let wasNow = state.withLock { state in
      if state.begun[answered.device.token] ?? 0 > 0 { state.begun.set(answered.device.token, 0) }
      guard let held = state.notification, held.device.isApple == answered.device.isApple else { return false }
      state.notification = nil
      return true
    }
    if wasNow { logger.notice("the provider accepts notifications again") }
  }

  /// False if this starts no outage: the device has already started as many outages as allowed, so only it is affected.
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
      "the provider does not accept notifications now; they wait for it",
      metadata: ["error": "\(String(reflecting: error))"])
    return true
  }

  /// The notification with which to try the provider until the outage ends; nil if another task already tries. The caller
  /// must call ``stopTrying()`` at the end.
  func startTrying() -> PushNotification? {
    state.withLock { state in
      guard !state.isTried, let notification = state.notification else { return nil }
      state.isTried = true
      return notification
    }
  }

  func stopTrying() { state.withLock { $0.isTried = false } }
}
