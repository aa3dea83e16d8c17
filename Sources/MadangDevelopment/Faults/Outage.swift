import MadangServer
import NIOCore
import Synchronization

/// The server's restarts, as its clients see them: all connections are closed, and new ones for a while at once. Its data and
/// what it knows stay.
package final class Outage: Sendable {
  private let controls = Mutex<ServerControls?>(nil)
  /// Uptime in nanoseconds.
  private let downUntil = Atomic<UInt64>(0)

  package init() {}

  func attach(_ controls: ServerControls?) { self.controls.withLock { $0 = controls } }

  /// Whether the server takes connections.
  var isOver: Bool {
    // Zero until the first outage: nothing to compare with the clock then.
    let end = downUntil.load(ordering: .acquiring)
    return end == 0 || NIODeadline.now().uptimeNanoseconds >= end
  }

  /// Closes all connections; those that are opened during this time are closed at once.
  package func restart(downFor time: Duration) async {
    let end = NIODeadline.now() + TimeAmount(time)
    downUntil.store(end.uptimeNanoseconds, ordering: .releasing)
    await controls.withLock(\.self)?.dropConnections()
  }

  func email(ofAccount number: Int64) async -> String? {
    guard let controls = controls.withLock(\.self) else { return nil }
    return try? await controls.email(ofAccount: number)
  }

  func account(email: String) async -> Int64? {
    guard let controls = controls.withLock(\.self) else { return nil }
    return try? await controls.account(email: email)
  }
}
