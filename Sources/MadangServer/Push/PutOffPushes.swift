import MadangCore
import Synchronization

/// Notifications that the provider deferred, in memory, in order for each device. One task sends those of a device.
final class PutOffPushes: Sendable {
  private struct State {
    var devices: [String: [PushNotification]] = [:]
    var count = 0
    /// Devices without a task yet.
    var new: [String] = []
  }

  /// How many notifications may wait for one device.
  private static let maxOfDevice = 10

  private let limit: Int
  private let state = Mutex(State())

  init(limit: Int) { self.limit = limit }

  func isWaiting(_ token: String) -> Bool { state.withLock { $0.devices[token] != nil } }

  /// Appends a notification to those of its device. False if too many are waiting, for the device or in all.
  func add(_ notification: PushNotification) -> Bool {
    let token = notification.device.token
    return state.withLock { state in
      let others = state.devices[token]?.count ?? 0
      guard others < Self.maxOfDevice, state.count < limit else { return false }
      state.devices[token, default: []].append(notification)
      state.count += 1
      if others == 0 { state.new.append(token) }
      return true
    }
  }

  /// Devices that need a task from now on, until they have no waiting notifications.
  func takeNew() -> [String] {
    state.withLock { state in
      defer { state.new = [] }
      return state.new
    }
  }

  func first(of token: String) -> PushNotification? { state.withLock { $0.devices[token]?.first } }

  func replaceFirst(with notification: PushNotification) {
    state.withLock { $0.devices[notification.device.token]?[0] = notification }
  }

  /// False if the device has no waiting notifications: its task ends.
  func removeFirst(of token: String) -> Bool {
    state.withLock { state in
      guard var waiting = state.devices[token] else { return false }
      waiting.removeFirst()
      state.count -= 1
      state.devices[token] = waiting.isEmpty ? nil : waiting
      return !waiting.isEmpty
    }
  }
}
