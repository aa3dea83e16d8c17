import Hummingbird
import MadangAPI
import MadangCore
import MadangServer
import NIOCore
import Synchronization

/// The server that answers now. In a world another one may follow it.
package final class CurrentServer: Sendable {
  /// A server with its calls under way.
  struct Running: Sendable {
    let server: MadangServer
    let calls: CallsUnderWay
  }

  private let running = Mutex<Running?>(nil)

  package init() {}

  /// Nil before there is one, and after the last one has ended.
  package var server: MadangServer? { running.withLock { $0?.server } }

  /// How many calls are under way at it.
  var callsUnderWay: Int { running.withLock { $0?.calls.count ?? 0 } }

  /// A call begins; nil if there is no server.
  func visit(over channel: (any NIOCore.Channel)? = nil) -> Visit? {
    running.withLock { running in running.map { Visit($0, over: channel) } }
  }

  /// Puts a server in place, which answers from now on.
  /// - Parameter moment: Done before any call begins at it.
  /// - Returns: The former one. Its calls wait for nothing more.
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

/// A call at a server, which stays open until the call is over, or has had its time.
package final class Visit: Sendable {
  package let server: MadangServer
  /// Uptime in nanoseconds. No visit to the next server began before one to this.
  let begun = NIODeadline.now().uptimeNanoseconds
  private let running: CurrentServer.Running
  private let call: CallsUnderWay.Call

  init(_ running: CurrentServer.Running, over channel: (any NIOCore.Channel)?) {
    (self.running, server, call) = (running, running.server, running.calls.begin(over: channel))
  }

  /// Whether another server has followed.
  var isOver: Bool { running.calls.isEnding }

  /// Waits. Throws `CancellationError` as soon as another server follows: the call is to end then.
  func pause(for time: Duration) async throws { try await call.pause(for: time) }

  /// Does something on the server's data; the database stays open until it is done.
  package func answering<Answer>(_ body: (Madang) async throws -> Answer) async rethrows -> Answer {
    defer { withExtendedLifetime(self) {} }
    return try await body(server.madang)
  }
}
