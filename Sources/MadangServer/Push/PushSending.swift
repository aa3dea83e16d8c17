import Logging
import MadangCore
import MadangOperations
import MadangProviders

/// Sends notifications to the provider.
struct PushSending: Sendable {
  enum Outcome: Sendable {
    /// Done.
    case settled
    /// The device is no longer registered.
    case unregistered
    /// Send it again later; the problem concerns this device only.
    case putOff(PushNotification)
    /// Send it again after the outage.
    case held(PushNotification)
  }

  private let sender: any PushSender
  private let metrics: Metrics
  private let logger: Logger
  /// Called when there is work besides the rooms.
  private let wake: @Sendable () -> Void
  /// Limits the notifications that are being sent at the same time.
  let slots: AsyncSemaphore
  let outage: PushOutage
  let putOff: PutOffPushes

  /// How often the provider may defer a notification.
  private static let maxDelays = 10
  /// How often a notification with unknown outcome is sent: its device may get it that often.
  private static let maxUnanswered = 2

  init(
    _ sender: any PushSender, _ settings: PushSettings, _ metrics: Metrics, _ logger: Logger,
    wake: @escaping @Sendable () -> Void
  ) {
    self.wake = wake
    self.sender = sender
    self.metrics = metrics
    self.logger = logger
    slots = AsyncSemaphore(settings.parallelSends)
    outage = PushOutage(logger)
    putOff = PutOffPushes(limit: settings.maxPutOff)
  }

  /// Sends a notification. Call it within ``slots`` only.
  func send(_ notification: PushNotification) async -> Outcome {
    do {
      try await sender.send(notification, isTrial: false)
      metrics.pushSent()
      answered(notification)
      return .settled
    } catch PushFailure.refused(let status) {
      answered(notification)
      giveUp(status)
      return .settled
    } catch PushFailure.unregistered(let status) {
      answered(notification)
      giveUp(status)
      return .unregistered
    } catch PushFailure.delayed(let status, let pause) {
      answered(notification)
      var notification = notification
      notification.pause = pause
      return delayed(notification, by: 1, status).map(Outcome.putOff) ?? .settled
    } catch PushFailure.overloaded(let status, let pause) {
      var notification = notification
      notification.pause = pause
      return held(notification, by: PushFailure.overloaded(status: status, pause: pause), status)
    } catch PushFailure.unanswered {
      let isOutage = beginOutage(with: notification, PushFailure.unanswered)
      return delayed(notification, by: Self.maxDelays / Self.maxUnanswered, 0)
        .map(isOutage ? Outcome.held : Outcome.putOff) ?? .settled
    } catch {
      return held(notification, by: error, 0)
    }
  }

  /// Sends a trial that the provider examines but does not deliver; success ends the outage. Returns the minimum wait that
  /// the provider asks for.
  func tryProvider(with notification: PushNotification) async -> Duration {
    do { try await sender.send(notification, isTrial: true) } catch {
      switch error {
      case PushFailure.refused, PushFailure.unregistered, PushFailure.delayed: break
      case PushFailure.overloaded(_, let pause): return pause
      default: return .zero
      }
    }
    answered(notification)
    return .zero
  }

  /// Stores a deferred notification, or drops it if too many are waiting: waiting for a place here would delay other chats.
  func keep(_ notification: PushNotification) {
    if putOff.add(notification) { wake() } else { giveUp(0) }
  }

  func giveUp(_ status: Int) {
    metrics.pushFailed()
    logger.debug("a notification was not accepted", metadata: ["status": "\(status)"])
  }

  private func answered(_ notification: PushNotification) {
    outage.ends(by: notification)
    if !outage.isNow { metrics.troubles.worked(.push) }
  }

  /// Holds the notification until the outage ends, or defers it if only its device is affected.
  private func held(_ notification: PushNotification, by error: any Error, _ status: Int) -> Outcome {
    guard !beginOutage(with: notification, error) else { return .held(notification) }
    return delayed(notification, by: 1, status).map(Outcome.putOff) ?? .settled
  }

  /// False if this does not start an outage, because only the notification's device is affected.
  private func beginOutage(with notification: PushNotification, _ error: any Error) -> Bool {
    let isNow = outage.begins(with: notification, error)
    if isNow, let error = error as? ProviderCalls.Unusable {
      metrics.troubles.failed(.push, because: "it answers \(error.status)")
    }
    wake()
    return isNow
  }

  private func delayed(_ notification: PushNotification, by count: Int, _ status: Int) -> PushNotification? {
    var notification = notification
    notification.delays += count
    guard notification.delays < Self.maxDelays else {
      giveUp(status)
      return nil
    }
    return notification
  }
}
