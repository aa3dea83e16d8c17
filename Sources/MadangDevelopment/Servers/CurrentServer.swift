import Hummingbird
import MadangAPI
import MadangCore
import MadangServer
import NIOCore
import Synchronization

/// The present server. In a world another one may follow it.
package final class CurrentServer: Sendable {
  /// A server with its calls in progress and its stand-ins for providers.
  struct Running: Sendable {
    let server: MadangServer
    let calls: CallsUnderWay
    let standIns: StandIns
  }

  private let running = Mutex<Running?>(nil)

  package init() {}

  /// Nil before the first server, and after the last one has ended.
  package var server: MadangServer? { running.withLock { $0?.server } }

  /// The number of its calls in progress.
  var callsUnderWay: Int { running.withLock { $0?.calls.count ?? 0 } }

  /// A call begins; nil if there is no server.
  func lease(over channel: (any NIOCore.Channel)? = nil) -> ServerLease? {
    running.withLock { running in running.map { ServerLease($0, over: channel) } }
  }

  /// Replaces the present server.
  /// - Parameter moment: Runs before any call reaches the new server.
  /// - Returns: The former one. Its calls no longer wait.
  @discardableResult
  func put(_ next: Running?, at moment: () -> Void = {}) -> Running? {
    let former = running.withLock { running in
      defer { running = next }
      moment()
      return running
    }
    former?.calls.endPauses()
    return former
  }
}

/// A call at a server, which stays open until the call ends or its time is over.
package final class ServerLease: Sendable {
  package let server: MadangServer
  /// Uptime in nanoseconds. No lease to the next server began before one to this.
  let begun = NIODeadline.now().uptimeNanoseconds
  private let running: CurrentServer.Running
  private let call: CallsUnderWay.Call

  init(_ running: CurrentServer.Running, over channel: (any NIOCore.Channel)?) {
    (self.running, server, call) = (running, running.server, running.calls.begin(over: channel))
  }

  /// Whether another server has followed.
  var isOver: Bool { running.calls.isEnding }

  /// The server's stand-ins for providers.
  package var standIns: StandIns { running.standIns }

  /// Waits. Throws `CancellationError` as soon as another server follows, so that the call ends.
  func pause(for time: Duration) async throws { try await call.pause(for: time) }

  /// Runs work on the server's data; the database stays open until it is done.
  package func answering<Answer>(_ body: (Madang) async throws -> Answer) async rethrows -> Answer {
    defer { withExtendedLifetime(self) {} }
    return try await body(server.madang)
  }
}
