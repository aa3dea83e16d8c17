import MadangCore
import Synchronization

/// Carries events from the domain, which is made first, to the sockets, which need the domain.
final class Announcements: Sendable {
  private let receiver = Mutex<(@Sendable (MadangCore.Event) -> Void)?>(nil)

  func connect(_ receiver: @escaping @Sendable (MadangCore.Event) -> Void) {
    self.receiver.withLock { $0 = receiver }
  }

  /// Nobody is told of anything any more.
  func disconnect() { receiver.withLock { $0 = nil } }

  var isConnected: Bool { receiver.withLock { $0 != nil } }

  func announce(_ event: MadangCore.Event) { receiver.withLock(\.self)?(event) }
}
