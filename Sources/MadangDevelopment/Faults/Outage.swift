import MadangCore
import MadangServer
import NIOCore
import SocketIOServer
import Synchronization

/// The server's restarts, as its clients see them: all connections are closed, and new ones for a while at once. Its data and
/// what it knows stay.
package final class Outage: Sendable {
  private let current: CurrentServer
  private let connections: Connections
  /// Uptime in nanoseconds.
  private let downUntil = Atomic<UInt64>(0)

  /// - Parameter connections: Those by which requests come to the server.
  init(_ current: CurrentServer, _ connections: Connections) {
    (self.current, self.connections) = (current, connections)
  }

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
    await connections.closeAll()
    await current.server?.socketIO.dropConnections()
  }

  func email(ofAccount number: Int64) async -> String? {
    try? await current.visit()?.answering { try await $0.email(ofAccount: number) }
  }

  func account(email: String) async -> Int64? {
    try? await current.visit()?.answering { try await $0.accountNumber(email: email) }
  }
}
