import MadangCore
import Synchronization

/// Carries events from the domain, which is made first, to the sockets, which need the domain.
final class Announcements: Sendable {
  private let receiver = Mutex<(@Sendable (MadangCore.Event) -> Void)?>(nil)

  func connect(_ receiver: @escaping @Sendable (MadangCore.Event) -> Void) {
    self.receiver.withLock { $0 = receiver }
  }

  func announce(_ event: MadangCore.Event) { receiver.withLock(\.self)?(event) }
}
