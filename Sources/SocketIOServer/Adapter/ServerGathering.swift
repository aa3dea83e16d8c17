import NIOCore
import SocketIOProtocol
import Synchronization

/// Collects the replies of the other servers to one request, until all have answered or the timeout has passed.
final class ServerGathering<Element: Sendable>: ClusterRequest {
  /// The collected elements, and how many servers did not answer.
  typealias Outcome = (found: [Element], silent: Int)

  /// The content of one reply. `isLast` is false if more replies of the same server follow. An empty last part means that the server did
  /// not answer.
  struct Part {
    var elements: [Element]
    var isLast = true
    var isRefusal = false
  }

  private struct State {
    /// Servers that have not answered yet.
    var awaited: Set<SocketIOServer.ServerID>
    var found: [Element] = []
    var silent = 0
    var continuation: CheckedContinuation<Outcome, Never>?
    var timer: Scheduled<Void>?
  }

  private let state: Mutex<State>
  /// Returns `nil` for replies of other kinds, which are ignored.
  private let part: @Sendable (ClusterReply) -> Part?
  private let onEnd: @Sendable () -> Void

  init(
    _ servers: Set<SocketIOServer.ServerID>, _ part: @escaping @Sendable (ClusterReply) -> Part?,
    _ continuation: CheckedContinuation<Outcome, Never>, onEnd: @escaping @Sendable () -> Void
  ) {
    state = Mutex(State(awaited: servers, continuation: continuation))
    self.part = part
    self.onEnd = onEnd
  }

  /// Called after the request is sent. The wait ends at once if no server is expected to answer, and at the latest with the timer.
  func wait(for timeout: Duration, on loop: any EventLoop) {
    let timer = loop.scheduleTask(in: TimeAmount(timeout)) { self.giveUp() }
    change { $0.timer = timer }
  }

  func received(_ reply: ClusterReply, from server: SocketIOServer.ServerID) {
    guard let part = part(reply) else { return }
    change { state in
      guard state.awaited.contains(server) else { return }
      state.found += part.elements
      if part.isRefusal { state.silent += 1 }
      if part.isLast { state.awaited.remove(server) }
    }
  }

  func lost(_ server: SocketIOServer.ServerID) {
    change { state in
      if state.awaited.remove(server) != nil { state.silent += 1 }
    }
  }

  private func giveUp() {
    change { state in
      state.silent += state.awaited.count
      state.awaited = []
    }
  }

  /// Changes the state, and ends the wait if the request is sent and all servers have answered.
  private func change(_ body: (inout State) -> Void) {
    let ended: State? = state.withLock { state in
      body(&state)
      guard state.awaited.isEmpty, state.timer != nil, state.continuation != nil else { return nil }
      defer { state.continuation = nil }
      return state
    }
    guard let ended else { return }
    ended.timer?.cancel()
    onEnd()
    ended.continuation?.resume(returning: (ended.found, ended.silent))
  }
}

extension Cluster {
  /// Sends a request to the other servers, and waits for their answers.
  func gather<Element: Sendable>(
    on loop: any EventLoop, timeout: Duration, _ message: (ClusterMessage.RequestNumber) -> ClusterMessage,
    _ part: @escaping @Sendable (ClusterReply) -> ServerGathering<Element>.Part?
  ) async -> ServerGathering<Element>.Outcome {
    await withCheckedContinuation { continuation in
      let (request, number) = begin { number, servers in
        ServerGathering(servers, part, continuation) { self.end(number) }
      }
      publish(message(number))
      request.wait(for: timeout, on: loop)
    }
  }
}
