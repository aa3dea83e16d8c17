import NIOCore
import SocketIOProtocol
import Synchronization

/// Reports to another server which sockets its broadcast asked here, then each acknowledgement as it arrives.
final class AckForwarding: AckCollector {
  private struct State {
    /// Event loops that have not yet sent the event.
    var loops = 0
    var asked: [String] = []
    var owed = 0
    /// Acknowledgements that arrived before all loops had sent the event; the list of asked sockets must be sent first.
    var early: [ClusterReply] = []
    var timers: [Scheduled<Void>] = []
  }

  private let state = Mutex(State())
  private let send: @Sendable (ClusterReply) -> Void

  /// - Parameter send: Sends a reply. It is called with one reply at a time, in order, and does not block.
  init(send: @escaping @Sendable (ClusterReply) -> Void) { self.send = send }

  func willSend(on loops: Int) {
    state.withLock { state in
      state.loops = loops
      if loops == 0 { tellAsked(&state) }
    }
  }

  func begin(asking sockets: [String], timer: Scheduled<Void>?) {
    state.withLock { state in
      state.asked += sockets
      state.owed += sockets.count
      if let timer { state.timers.append(timer) }
      state.loops -= 1
      if state.loops == 0 { tellAsked(&state) }
    }
  }

  func received(_ result: Result<SocketArguments, AckError>, from socket: String) {
    let reply = ClusterReply.acknowledged(socket, try? result.get())
    let timers: [Scheduled<Void>] = state.withLock { state in
      if state.loops == 0 { send(reply) } else { state.early.append(reply) }
      state.owed -= 1
      return state.owed == 0 && state.loops == 0 ? state.timers : []
    }
    for timer in timers { timer.cancel() }
  }

  private func tellAsked(_ state: inout State) {
    var rest = state.asked[...]
    repeat {
      let part = Array(rest.prefix(Cluster.idsPerMessage))
      rest = rest.dropFirst(part.count)
      send(.asked(part, isLast: rest.isEmpty))
    } while !rest.isEmpty
    for reply in state.early { send(reply) }
    state.early = []
    state.asked = []
  }
}
