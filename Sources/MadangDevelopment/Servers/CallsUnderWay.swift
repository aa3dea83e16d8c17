import NIOCore
import Synchronization

/// Calls of one server in progress: begun, and their answers not written yet.
final class CallsUnderWay: Sendable {
  private struct State {
    /// The connections of calls, by the numbers of the calls; nil for work of the kit itself.
    var channels: [Int: (any Channel)?] = [:]
    var last = 0
    /// The waiting calls.
    var pauses: [Int: Task<Void, any Error>] = [:]
    /// Whether all are to finish.
    var isEnding = false
    var whenEmpty: AsyncStream<Void>.Continuation?
  }

  private let state = Mutex(State())

  var count: Int { state.withLock(\.channels.count) }

  /// Whether all are to finish.
  var isEnding: Bool { state.withLock(\.isEnding) }

  /// A call begins. It ends with the last reference to the result.
  func begin(over channel: (any Channel)?) -> Call {
    let number = state.withLock { state in
      state.last += 1
      state.channels.updateValue(channel, forKey: state.last)
      return state.last
    }
    return Call(number, self)
  }

  /// One call.
  final class Call: Sendable {
    fileprivate let number: Int
    fileprivate let calls: CallsUnderWay

    fileprivate init(_ number: Int, _ calls: CallsUnderWay) { (self.number, self.calls) = (number, calls) }

    deinit { calls.end(number) }

    /// Waits. Throws `CancellationError` as soon as calls are to finish.
    func pause(for time: Duration) async throws { try await calls.pause(number, for: time) }
  }

  private func end(_ number: Int) {
    let channel = state.withLock { state in
      defer { if state.channels.isEmpty { state.whenEmpty?.finish() } }
      return state.channels.removeValue(forKey: number)
    }
    // The connection is released outside of the lock.
    _ = channel
  }

  private func pause(_ number: Int, for time: Duration) async throws {
    let pause = Task { try await Task.sleep(for: time) }
    let isEnding = state.withLock { state in
      state.pauses[number] = pause
      return state.isEnding
    }
    defer { state.withLock { _ = $0.pauses.removeValue(forKey: number) } }
    if isEnding { pause.cancel() }
    try await withTaskCancellationHandler {
      try await pause.value
    } onCancel: {
      pause.cancel()
    }
  }

  /// Ends the waiting of calls.
  func endPauses() {
    let pauses = state.withLock { state in
      state.isEnding = true
      return Array(state.pauses.values)
    }
    for pause in pauses { pause.cancel() }
  }

  /// Returns when all calls are over, except those that take longer than `limit`: their connections are closed without
  /// waiting.
  func finish(within limit: Duration) async {
    endPauses()
    let (ends, whenEmpty) = AsyncStream<Void>.makeStream()
    state.withLock { state in
      state.whenEmpty = whenEmpty
      if state.channels.isEmpty { whenEmpty.finish() }
    }
    let alarm = Task {
      try await Task.sleep(for: limit)
      whenEmpty.finish()
    }
    for await _ in ends {}
    alarm.cancel()
    for (number, channel) in state.withLock(\.channels).sorted(by: { $0.key < $1.key }) {
      guard let channel else { continue }
      // Checked again when the connection reads its next request: the call may be over by then.
      try? await channel.eventLoop.submit { if self.isUnderWay(number) { channel.close(promise: nil) } }.get()
    }
  }

  private func isUnderWay(_ number: Int) -> Bool { state.withLock { $0.channels[number] != nil } }
}
