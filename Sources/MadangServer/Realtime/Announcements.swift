import MadangCore
import Synchronization

/// Carries events from the domain to the sockets. The domain is created first, and sockets need it.
final class Announcements: Sendable {
  private let receiver = Mutex<(@Sendable (MadangCore.Event) -> Void)?>(nil)

  func connect(_ receiver: @escaping @Sendable (MadangCore.Event) -> Void) {
    self.receiver.withLock { $0 = receiver }
  }

  /// Stops the delivery of events.
  func disconnect() { receiver.withLock { $0 = nil } }

  var isConnected: Bool { receiver.withLock { $0 != nil } }

  func announce(_ event: MadangCore.Event) { receiver.withLock(\.self)?(event) }
}
