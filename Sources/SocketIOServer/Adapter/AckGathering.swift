import NIOCore
public import SocketIOProtocol
import Synchronization

/// Some clients did not acknowledge a broadcast in time.
public struct BroadcastAckError: Error, Sendable {
  /// The acknowledgements, in the order of arrival.
  public let answers: [SocketArguments]
  /// The ids of the sockets that did not answer in time, or left before.
  public let missing: [String]
  /// How many other servers did not report in time which sockets they asked.
  public let silentServers: Int
}

/// Collects the acknowledgements of one broadcast from all event loops, and from the other servers.
final class AckGathering: AckCollector, ClusterRequest {
  typealias Outcome = Result<[SocketArguments], BroadcastAckError>

  private struct State {
    /// The number of open items: the broadcast until it is sent, event loops that have not sent the event, other servers that have not
    /// reported their sockets, and sockets that have not answered.
    var open = 1
    var answers: [SocketArguments] = []
    var missing: [String] = []
    var silentServers = 0
    /// Other servers that have not completely reported their sockets.
    var awaited: Set<SocketIOServer.ServerID>
    /// Sockets of other servers that have not answered.
    var owed: [SocketIOServer.ServerID: Set<String>] = [:]
    var timers: [Scheduled<Void>] = []
    var continuation: CheckedContinuation<Outcome, Never>?
  }

  private let state: Mutex<State>
  private let onEnd: @Sendable () -> Void

  init(
    servers: Set<SocketIOServer.ServerID> = [], _ continuation: CheckedContinuation<Outcome, Never>,
    onEnd: @escaping @Sendable () -> Void = {}
  ) {
    var state = State(awaited: servers, continuation: continuation)
    state.open += servers.count
    self.state = Mutex(state)
    self.onEnd = onEnd
  }

  // MARK: Sockets of this server

  func willSend(on loops: Int) {
    change { $0.open += loops }
  }

  func begin(asking sockets: [String], timer: Scheduled<Void>?) {
    change { state in
      state.open += sockets.count - 1
      if let timer { state.timers.append(timer) }
    }
  }

  func received(_ result: Result<SocketArguments, AckError>, from socket: String) {
    change { state in
      state.open -= 1
      switch result {
      case .success(let answer): state.answers.append(answer)
      case .failure: state.missing.append(socket)
      }
    }
  }

  // MARK: Sockets of other servers

  /// The event was sent to all recipients.
  ///
  /// - Parameter timer: Ends the wait for the other servers.
  func sent(timer: Scheduled<Void>? = nil) {
    change { state in
      state.open -= 1
      if let timer { state.timers.append(timer) }
    }
  }

  func received(_ reply: ClusterReply, from server: SocketIOServer.ServerID) {
    change { state in
      switch reply {
      case .asked(let ids, let isLast):
        guard state.awaited.contains(server) else { return }
        for id in ids where state.owed[server, default: []].insert(id).inserted { state.open += 1 }
        guard isLast else { return }
        state.awaited.remove(server)
        state.open -= 1
      case .acknowledged(let id, let answer):
        guard state.owed[server]?.remove(id) != nil else { return }
        state.open -= 1
        if let answer { state.answers.append(answer) } else { state.missing.append(id) }
      case .sockets, .answered: break
      }
    }
  }

  func lost(_ server: SocketIOServer.ServerID) {
    change { Self.giveUp(server, &$0) }
  }

  func giveUpServers() {
    change { state in
      for server in state.awaited.union(state.owed.keys) { Self.giveUp(server, &state) }
    }
  }

  private static func giveUp(_ server: SocketIOServer.ServerID, _ state: inout State) {
    if state.awaited.remove(server) != nil {
      state.silentServers += 1
      state.open -= 1
    }
    let owed = state.owed.removeValue(forKey: server) ?? []
    state.missing += owed
    state.open -= owed.count
  }

  private func change(_ body: (inout State) -> Void) {
    let ended: State? = state.withLock { state in
      body(&state)
      guard state.open == 0, state.continuation != nil else { return nil }
      defer { state.continuation = nil }
      return state
    }
    guard let ended else { return }
    for timer in ended.timers { timer.cancel() }
    onEnd()
    let isComplete = ended.missing.isEmpty && ended.silentServers == 0
    let error = BroadcastAckError(
      answers: ended.answers, missing: ended.missing, silentServers: ended.silentServers)
    ended.continuation?.resume(returning: isComplete ? .success(ended.answers) : .failure(error))
  }
}

extension Cluster {
  /// Sends an event to the sockets of all servers, and collects their answers.
  func ask(
    _ event: String, _ arguments: SocketArguments, to target: BroadcastTarget, _ timeout: Duration, _ core: ServerCore,
    _ continuation: CheckedContinuation<AckGathering.Outcome, Never>
  ) {
    let (gathering, number) = begin { number, servers in
      AckGathering(servers: servers, continuation) { self.end(number) }
    }
    core.ask(event, arguments, target, timeout: timeout.milliseconds, gathering)
    publish(.ask(number, target, event: event, arguments, timeout: timeout.milliseconds))
    let timer = core.shards.first?.loop.scheduleTask(in: .milliseconds(timeout.milliseconds)) {
      gathering.giveUpServers()
    }
    gathering.sent(timer: timer)
  }
}
