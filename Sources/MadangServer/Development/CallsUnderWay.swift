import Hummingbird
import NIOCore
import Synchronization

/// Calls that have begun and whose answer is not written yet.
final class CallsUnderWay: Sendable {
  private enum Slot {
    /// The connection that a call came by; nil for work of the server itself.
    case call(over: (any NIOCore.Channel)?)
    /// Leads to the next free slot.
    case free(next: Int)
  }

  private struct State {
    /// By number of the call.
    var slots: [Slot] = []
    /// The first free slot; the one behind all of them if none is.
    var firstFree = 0
    var count = 0
    /// Of calls that wait.
    var pauses: [Int: Task<Void, any Error>] = [:]
    /// Whether all are to finish.
    var isEnding = false
    var whenEmpty: AsyncStream<Void>.Continuation?
  }

  private let state = Mutex(State())

  var count: Int { state.withLock(\.count) }

  /// A call begins. It is over when nobody holds the place any more.
  func begin(over channel: (any NIOCore.Channel)?) -> Place { Place(id: enter(over: channel), in: self) }

  /// Answers the call's number, for ``end(_:)``.
  @inline(__always)
  fileprivate func enter(over channel: (any NIOCore.Channel)?) -> Int {
    state.withLock { state in
      let id = state.firstFree
      if id == state.slots.count {
        state.slots.append(.call(over: channel))
        state.firstFree = id + 1
      } else {
        guard case .free(let next) = state.slots[id] else { preconditionFailure("a free slot has a call") }
        state.slots[id] = .call(over: channel)
        state.firstFree = next
      }
      state.count += 1
      return id
    }
  }

  fileprivate func end(_ id: Int) {
    let call = state.withLock { state in
      var slot = Slot.free(next: state.firstFree)
      swap(&slot, &state.slots[id])
      state.firstFree = id
      state.count -= 1
      if state.count == 0 { state.whenEmpty?.finish() }
      return slot
    }
    // Whatever its connection leads to is let go outside of the lock.
    _ = call
  }

  /// Has a call wait. Throws `CancellationError` as soon as calls are to finish.
  fileprivate func pause(_ id: Int, for time: Duration) async throws {
    let pause = Task { try await Task.sleep(for: time) }
    let isEnding = state.withLock { state in
      state.pauses[id] = pause
      return state.isEnding
    }
    defer { state.withLock { _ = $0.pauses.removeValue(forKey: id) } }
    if isEnding { pause.cancel() }
    try await withTaskCancellationHandler {
      try await pause.value
    } onCancel: {
      pause.cancel()
    }
  }

  /// Returns when all calls are over, but for those that take longer than `limit`: their connections are closed, which is not waited for.
  func finish(within limit: Duration) async {
    let (ends, whenEmpty) = AsyncStream<Void>.makeStream()
    let pauses = state.withLock { state in
      state.isEnding = true
      state.whenEmpty = whenEmpty
      if state.count == 0 { whenEmpty.finish() }
      return Array(state.pauses.values)
    }
    for pause in pauses { pause.cancel() }
    let alarm = Task {
      try await Task.sleep(for: limit)
      whenEmpty.finish()
    }
    for await _ in ends {}
    alarm.cancel()
    for (id, slot) in state.withLock(\.slots).enumerated() {
      guard case .call(let channel?) = slot else { continue }
      // Looked at once more where the connection reads its next request: by then the call may be over.
      try? await channel.eventLoop.submit { if self.isUnderWay(id, over: channel) { channel.close(promise: nil) } }
        .get()
    }
  }

  private func isUnderWay(_ id: Int, over channel: any NIOCore.Channel) -> Bool {
    state.withLock { if case .call(let current?) = $0.slots[id] { current === channel } else { false } }
  }

  /// A call's, held until its answer is written.
  final class Place: Sendable {
    private let id: Int
    private let calls: CallsUnderWay

    fileprivate init(id: Int, in calls: CallsUnderWay) { (self.id, self.calls) = (id, calls) }

    deinit { calls.end(id) }
  }
}

/// A call on its way, with the backend that it met: whichever takes its place, the call acts on this one, whose database stays
/// open until the visit ends, or until what put the next backend in place waits no longer.
struct Visit: ~Copyable, Sendable {
  let backend: Backend
  /// Uptime in nanoseconds. None of the visits to the next backend began before one of this.
  let begun = NIODeadline.now().uptimeNanoseconds
  /// Among the calls of the backend.
  private let id: Int

  init(to backend: Backend, over channel: (any NIOCore.Channel)? = nil) {
    self.backend = backend
    id = backend.calls.enter(over: channel)
  }

  deinit { backend.calls.end(id) }

  var service: Service { backend.service }

  /// Throws `CancellationError` as soon as another backend has taken this one's place.
  func pause(for time: Duration) async throws { try await backend.calls.pause(id, for: time) }
}

/// A visit that somebody shares: it ends when nobody holds this any more.
final class SharedVisit: Sendable {
  private let visit: Visit

  init(_ visit: consuming Visit) { self.visit = visit }

  var service: Service { visit.service }
}

extension Response {
  /// The same, which holds something until it is written: a visit or a place of a call goes on so long.
  func holding(_ object: some AnyObject & Sendable) -> Response {
    var response = self
    let whole = body
    response.body = ResponseBody(contentLength: whole.contentLength) { writer in
      defer { withExtendedLifetime(object) {} }
      try await whole.write(writer)
    }
    return response
  }
}
