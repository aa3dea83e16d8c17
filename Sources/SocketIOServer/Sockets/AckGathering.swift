import NIOCore
public import SocketIOProtocol
import Synchronization

/// Not every client acknowledged a broadcast in time.
public struct BroadcastAckError: Error, Sendable {
  /// The acknowledgements that came, in the order in which they came.
  public let answers: [SocketArguments]
  /// The ids of the sockets that did not answer in time, or left before.
  public let missing: [String]
}

/// Collects the acknowledgements of one broadcast from all event loops.
final class AckGathering: Sendable {
  private struct State {
    /// Event loops that have not sent the event yet, and sockets that owe an answer.
    var open: Int
    var answers: [SocketArguments] = []
    var missing: [String] = []
    var timers: [Scheduled<Void>] = []
    var continuation: CheckedContinuation<Result<[SocketArguments], BroadcastAckError>, Never>?
  }

  private let state: Mutex<State>

  init(loops: Int, _ continuation: CheckedContinuation<Result<[SocketArguments], BroadcastAckError>, Never>) {
    state = Mutex(State(open: loops, continuation: continuation))
  }

  /// An event loop is about to send to this many sockets, which the timer gives up one day.
  func begin(sockets: Int, timer: Scheduled<Void>?) {
    state.withLock { state in
      state.open += sockets
      if let timer { state.timers.append(timer) }
    }
    finishOne { _ in }
  }

  func received(_ result: Result<SocketArguments, AckError>, from socket: String) {
    finishOne { state in
      switch result {
      case .success(let answer): state.answers.append(answer)
      case .failure: state.missing.append(socket)
      }
    }
  }

  private func finishOne(_ note: (inout State) -> Void) {
    let finished: State? = state.withLock { state in
      note(&state)
      state.open -= 1
      return state.open == 0 ? state : nil
    }
    guard let finished else { return }
    for timer in finished.timers { timer.cancel() }
    let isComplete = finished.missing.isEmpty
    let error = BroadcastAckError(answers: finished.answers, missing: finished.missing)
    finished.continuation?.resume(returning: isComplete ? .success(finished.answers) : .failure(error))
  }
}

extension SocketIOServer {
  /// Sends an event to everybody whom the target means, and waits until all have acknowledged it.
  ///
  /// - Returns: One answer for each socket, in the order in which they came; none if the target means nobody.
  /// - Throws: `BroadcastAckError`, with the answers that came, once the time-out has passed or the last client that
  ///   still owed an answer has left.
  public func emit(
    _ event: String, _ arguments: SocketArguments = SocketArguments(), to target: BroadcastTarget, timeout: Duration
  ) async throws -> [SocketArguments] {
    let shards = core.shards(in: target.namespace)
    guard !shards.isEmpty else { return [] }
    let id = core.makeAckID()
    let message = OutboundMessage(
      .event(
        event, arguments: arguments.joined, namespace: target.namespace, id: id, attachments: arguments.attachments))
    let outcome: Result<[SocketArguments], BroadcastAckError> = await withCheckedContinuation { continuation in
      let gathering = AckGathering(loops: shards.count, continuation)
      core.hand(to: shards) { $0.ask(message, id, target, timeout, gathering) }
    }
    return try outcome.get()
  }
}

extension LoopShard {
  fileprivate func ask(
    _ message: OutboundMessage, _ id: AckID, _ target: BroadcastTarget, _ timeout: Duration, _ gathering: AckGathering
  ) {
    let asked = sockets(in: target)
    let timer =
      asked.isEmpty
      ? nil
      : loop.scheduleTask(in: .milliseconds(timeout.milliseconds)) {
        for socket in asked { socket.settle(id, .failure(.timedOut)) }
      }
    gathering.begin(sockets: asked.count, timer: timer)
    for socket in asked {
      socket.acks.wait(id) { gathering.received($0, from: socket.id) }
      socket.session?.send(message)
    }
  }
}
