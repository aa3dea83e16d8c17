import Logging
import MadangCore
import MadangOperations
import ServiceLifecycle

/// Background work besides the rooms: deferred notifications of devices, and a provider that accepts none.
struct PushRetries: Sendable {
  let madang: Madang
  let sending: PushSending
  let settings: PushSettings

  /// The longest pause between tries.
  private static let longestPause: Duration = .seconds(20)

  /// Sends the deferred notifications of a device until none is left or the server stops.
  func sendPutOff(to token: String) async {
    var pause = settings.retryPause
    while let notification = sending.putOff.first(of: token) {
      guard await pauses(max(pause, notification.pause)) else { return }
      guard !sending.outage.isNow else { continue }
      var outcome = PushSending.Outcome.settled
      if isFresh(notification.postedAt) {
        await sending.slots.wait()
        outcome = await sending.send(notification)
        sending.slots.signal()
      } else {
        sending.giveUp(0)
      }
      switch outcome {
      case .putOff(let notification), .held(let notification):
        sending.putOff.replaceFirst(with: notification)
        pause = longer(pause)
        continue
      case .unregistered: await forget([notification.device])
      case .settled: break
      }
      pause = settings.retryPause
      guard sending.putOff.removeFirst(of: token) else { return }
    }
  }

  /// Tries the provider until the outage is over or the server stops.
  func endOutage(with notification: PushNotification) async {
    defer { sending.outage.stopTrying() }
    var (pause, asked) = (settings.retryPause, notification.pause)
    while sending.outage.isNow, await pauses(max(pause, asked)) {
      asked = await sending.tryProvider(with: .trial(like: notification))
      pause = longer(pause)
    }
  }

  /// Whether a chat of this date is still pushed.
  func isFresh(_ postedAt: Int64) -> Bool { postedAt > madang.clock.now - settings.lifetime }

  /// Removes unregistered devices. If this fails, the push of the next chat removes them.
  func forget(_ devices: [PushDevice]) async {
    guard !devices.isEmpty else { return }
    do { try await madang.forget(devices) } catch {
      madang.logger.warning("devices could not be removed", metadata: ["error": "\(String(reflecting: error))"])
    }
  }

  /// False if the server stops first.
  func pauses(_ duration: Duration) async -> Bool {
    do {
      try await cancelWhenGracefulShutdown { [clock = madang.clock] in try await clock.sleep(for: duration) }
      return true
    } catch { return false }
  }

  func longer(_ pause: Duration) -> Duration { min(pause * 2, Self.longestPause) }
}
