import Logging

/// Hands notifications to the provider.
struct PushSending: Sendable {
  private let sender: any PushSender
  private let metrics: Metrics
  private let logger: Logger
  /// What may be on its way to the provider at once.
  private let places: Places
  let outage: PushOutage
  let rooms = PushRooms()

  /// Rooms that may wait before they try a notification again. What the provider puts off beyond it is given up.
  private static let maxPaused = 1000
  /// How often the provider may put off a notification.
  private static let maxDelays = 10
  /// How often a notification is sent that the provider may have taken: its device may be told so often.
  private static let maxUnanswered = 2

  init(_ sender: any PushSender, _ settings: PushSettings, _ metrics: Metrics, _ logger: Logger) {
    self.sender = sender
    self.metrics = metrics
    self.logger = logger
    places = Places(settings.parallelSends)
    outage = PushOutage(logger)
  }

  /// Sends notifications; answers those that are to be sent again.
  func send(_ notifications: [PushNotification]) async -> [PushNotification] {
    await withTaskGroup(of: PushNotification?.self) { group in
      for notification in notifications {
        group.addTask {
          await places.enter()
          defer { places.leave() }
          return await send(notification)
        }
      }
      return await group.reduce(into: []) { waiting, notification in
        if let notification { waiting.append(notification) }
      }
    }
  }

  /// Answers the notification if it is to be sent again.
  private func send(_ notification: PushNotification) async -> PushNotification? {
    do {
      try await sender.send(notification)
      metrics.pushSent()
      outage.ends()
      return nil
    } catch PushFailure.refused(let status) {
      outage.ends()
      return given(up: notification, status)
    } catch PushFailure.delayed(let status) {
      outage.ends()
      return delayed(notification, by: 1, status)
    } catch PushFailure.unanswered {
      return delayed(notification, by: Self.maxDelays / Self.maxUnanswered, 0)
    } catch {
      outage.begins(error)
      return notification
    }
  }

  private func delayed(_ notification: PushNotification, by count: Int, _ status: Int) -> PushNotification? {
    var notification = notification
    notification.delays += count
    let isKept = notification.delays < Self.maxDelays && rooms.paused < Self.maxPaused
    return isKept ? notification : given(up: notification, status)
  }

  private func given(up notification: PushNotification, _ status: Int) -> PushNotification? {
    metrics.pushFailed()
    logger.debug("a notification was not taken", metadata: ["status": "\(status)"])
    return nil
  }
}
