import MadangCore
import MadangServer
import NIOCore
import SocketIOServer
import Synchronization

/// Simulated restarts of the server: all connections are closed, and for a while new ones are closed at once. Data and
/// memory stay.
package final class Outage: Sendable {
  private let current: CurrentServer
  private let connections: Connections
  /// Uptime in nanoseconds.
  private let downUntil = Atomic<UInt64>(0)

  /// - Parameter connections: The connections of clients.
  init(_ current: CurrentServer, _ connections: Connections) {
    (self.current, self.connections) = (current, connections)
  }

  /// Whether the server accepts connections.
  var isOver: Bool {
    // Zero until the first outage, which avoids reading the clock.
    let end = downUntil.load(ordering: .acquiring)
    return end == 0 || NIODeadline.now().uptimeNanoseconds >= end
  }

  /// Closes all connections, and new ones during this time.
  package func restart(downFor time: Duration) async {
    await Connections.close(await begin(downFor: time))
  }

  /// Closes all sockets, and new connections during this time, which replaces that of an earlier restart.
  /// - Returns: The other connections, which the caller closes: one of them may be its own. Later ones are no part of this restart.
  func begin(downFor time: Duration) async -> [any NIOCore.Channel] {
    let end = NIODeadline.now() + TimeAmount(time)
    downUntil.store(end.uptimeNanoseconds, ordering: .releasing)
    let open = connections.all
    await current.server?.socketIO.dropConnections()
    return open
  }

  func email(ofAccount number: Int64) async -> String? {
    try? await current.lease()?.answering { try await $0.email(ofAccount: number) }
  }

  func account(email: String) async -> Int64? {
    try? await current.lease()?.answering { try await $0.accountNumber(email: email) }
  }
}
