import DequeModule
import MadangCore
import MadangServer
import NIOCore
import Synchronization

/// What happened at a server, newest last; the oldest is forgotten beyond its limits.
///
/// Safe to share between threads. Secrets are masked, and bytes read, when a caller asks.
package final class Journal: Sendable {
  package struct Limits: Sendable {
    /// How many entries are kept.
    package var entries = 20_000
    /// What they take in memory, in bytes, by estimate.
    package var bytes = 16 << 20

    /// What they may be set to.
    package static let entriesRange = 1...1_000_000
    package static let bytesRange = 65_536...(1 << 30)

    package init() {}
  }

  /// How long somebody may wait for an entry.
  package static let maxWait: Duration = .seconds(60)
  /// How many entries one answer has at most.
  package static let maxPage = 20_000
  /// How many entries an answer has unless somebody wants more.
  package static let page = 1000
  /// How much of a body or payload is told, in bytes.
  package static var maxText: Int { BodyRecord.limit }

  struct State {
    var limits: Limits
    var entries = Deque<RawEntry>()
    var bytes = 0
    var last = 0
    /// The number of the newest entry that was forgotten because there were too many.
    var dropped = 0
    var waiting: [Int: AsyncStream<Void>.Continuation] = [:]
    var lastWaiting = 0
    /// Nothing that began before this, by uptime in nanoseconds, is recorded.
    var beginning: UInt64 = 0
    /// Of accounts whose packets are kept, by number.
    var emails: [AccountKey: String] = [:]

    /// The number of the oldest entry that is kept, or of the next one.
    var first: Int { entries.isEmpty ? last + 1 : entries[0].number }

    init(limits: Limits) { self.limits = limits }

    /// Forgets the oldest entries that are too many. They are freed under the lock: nothing that an entry holds calls the journal.
    mutating func forget() {
      while entries.count > limits.entries || bytes > limits.bytes, let first = entries.popFirst() {
        bytes -= first.bytes
        dropped = first.number
      }
    }
  }

  let clock: MadangCore.Clock
  /// When the server was made: uptime in nanoseconds.
  let start = NIODeadline.now().uptimeNanoseconds
  /// The same as a time of day, in milliseconds since 1970.
  let startOfDay = MadangCore.Clock.systemTime()
  let state: Mutex<State>
  /// What of the contract was touched by all that has happened.
  let coverage = Coverage()
  private let recordsPacketsFlag = Atomic(true)
  let eraNumber = Atomic(0)
  let emailOf: @Sendable (Int64) async -> String?

  /// - Parameters:
  ///   - clock: The server's.
  ///   - emailOf: The e-mail of the account with a number.
  init(
    clock: MadangCore.Clock, limits: Limits = Limits(),
    emailOf: @escaping @Sendable (Int64) async -> String? = { _ in nil }
  ) {
    self.clock = clock
    state = Mutex(State(limits: limits))
    self.emailOf = emailOf
  }

  /// Whether packets of sockets are recorded. What else happens always is.
  package var recordsPackets: Bool {
    get { recordsPacketsFlag.load(ordering: .relaxed) }
    set { recordsPacketsFlag.store(newValue, ordering: .relaxed) }
  }

  package var limits: Limits {
    get { state.withLock { $0.limits } }
    set {
      state.withLock { state in
        state.limits = newValue
        state.forget()
      }
    }
  }

  /// Something happens now.
  func append(_ happening: Happening) {
    append(at: clock.now, begun: NIODeadline.now().uptimeNanoseconds, happening)
  }

  /// A request is over.
  func append(_ request: FinishedRequest) {
    let known = request.exchange.known
    let operation = known.operation.flatMap(Contract.index)
    coverage.count(request, operation, known)
    append(at: request.exchange.at, begun: request.exchange.begun, .request(RawRequest(request, operation, known)))
  }

  /// - Parameters:
  ///   - at: When it began, by the server's clock.
  ///   - begun: The same as uptime in nanoseconds.
  private func append(at: Int64, begun: UInt64, _ happening: Happening) {
    let size = happening.size
    let isAwaited = state.withLock { state in
      guard begun >= state.beginning else { return false }
      state.last += 1
      state.bytes += size
      state.entries.append(RawEntry(number: state.last, at: at, begun: begun, happening: happening))
      state.forget()
      return !state.waiting.isEmpty
    }
    if isAwaited { wake() }
  }

  /// Has those who wait look.
  private func wake() {
    for one in state.withLock({ Array($0.waiting.values) }) { one.yield() }
  }

  /// Forgets all entries, and what has begun and is not over. Numbers go on.
  func beginAnew() {
    state.withLock { $0.beginning = NIODeadline.now().uptimeNanoseconds }
    clear()
  }

  /// Forgets all entries. Numbers go on.
  package func clear() {
    var forgotten = Deque<RawEntry>()
    state.withLock { state in
      swap(&state.entries, &forgotten)
      // What somebody wants gone was not lost for want of room.
      (state.bytes, state.dropped, state.emails) = (0, 0, [:])
    }
  }

  /// What a journal has behind a number.
  struct View {
    let entries: [RawEntry]
    /// The number of the oldest entry that there is.
    let first: Int
    /// Of the newest that there ever was.
    let last: Int
    /// Of the newest that was forgotten because there were too many.
    let dropped: Int
  }

  func entries(after number: Int) -> View {
    state.withLock { state in
      let skipped = min(max(0, max(0, number) - state.first + 1), state.entries.count)
      return View(
        entries: Array(state.entries.dropFirst(skipped)), first: state.first, last: state.last, dropped: state.dropped)
    }
  }
}
