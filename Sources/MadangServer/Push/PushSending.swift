import Logging
import MadangCore
import MadangOperations
import MadangProviders

/// Hands notifications to the provider.
struct PushSending: Sendable {
  enum Outcome: Sendable {
    /// Nothing is left to do.
    case settled
    /// Nobody has its device any more.
    case unregistered
    /// To be sent again later: it concerns its device alone.
    case putOff(PushNotification)
    /// To be sent again when the outage is over.
    case held(PushNotification)
  }

  private let sender: any PushSender
  private let metrics: Metrics
  private let logger: Logger
  /// Says that there is something to do beside the rooms.
  private let wake: @Sendable () -> Void
  /// What may be on its way to the provider at once.
  let places: Places
  let outage: PushOutage
  let putOff: PutOffPushes

  /// How often the provider may put off a notification.
  private static let maxDelays = 10
  /// How often a notification is sent that the provider may have taken: its device may be told so often.
  private static let maxUnanswered = 2

  init(
    _ sender: any PushSender, _ settings: PushSettings, _ metrics: Metrics, _ logger: Logger,
    wake: @escaping @Sendable () -> Void
  ) {
    self.wake = wake
    self.sender = sender
    self.metrics = metrics
    self.logger = logger
    places = Places(settings.parallelSends)
    outage = PushOutage(logger)
    putOff = PutOffPushes(limit: settings.maxPutOff)
  }

  /// Sends a notification. Whoever calls has one of the ``places``.
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

  /// Has the provider examine a notification, which it does not deliver: the outage ends if it does so. Answers how long the provider
  /// asks to wait at least.
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

  /// Keeps a notification that the provider put off, or gives it up if too many wait already: a chat that waited for its place would
  /// hold up others.
  func keep(_ notification: PushNotification) {
    if putOff.add(notification) { wake() } else { giveUp(0) }
  }

  func giveUp(_ status: Int) {
    metrics.pushFailed()
    logger.debug("a notification was not taken", metadata: ["status": "\(status)"])
  }

  private func answered(_ notification: PushNotification) {
    outage.ends(by: notification)
    if !outage.isNow { metrics.troubles.worked(.push) }
  }

  /// Waits for the end of the outage; with its device, if there is no outage but of this device.
  private func held(_ notification: PushNotification, by error: any Error, _ status: Int) -> Outcome {
    guard !beginOutage(with: notification, error) else { return .held(notification) }
    return delayed(notification, by: 1, status).map(Outcome.putOff) ?? .settled
  }

  /// False if there is none, as it would be of the notification's device alone.
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
