import NIOCore
import SocketIOProtocol
import Synchronization

/// Collects what the other servers answer to one request, until all have answered or its time is over.
final class ServerGathering<Element: Sendable>: ClusterRequest {
  /// What is found, and how many servers did not answer.
  typealias Outcome = (found: [Element], silent: Int)

  /// What a reply brings; `isLast` is false when more replies of that server follow. Without elements and last: the server
  /// did not answer.
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
  /// `nil` for replies of another kind, which are ignored.
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

  /// The request is sent: it ends now if nobody is to answer it, and at the latest with the timer.
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

  /// Changes the state, and ends the wait when nobody is awaited any more and the request is sent.
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
  /// Asks the other servers, and waits for their answers.
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
