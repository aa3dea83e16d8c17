import DequeModule
import MadangCore
import MadangServer
import NIOCore
import Synchronization

/// The events of a server, newest last; the oldest are dropped beyond the limits.
///
/// Safe to share between threads. Masking secrets and reading bytes happen when a caller asks.
package final class Journal: Sendable {
  package struct Limits: Sendable {
    /// How many entries are kept.
    package var entries = 20_000
    /// Their size in memory, in bytes, estimated.
    package var bytes = 16 << 20

    /// The ranges of these settings.
    package static let entriesRange = 1...1_000_000
    package static let bytesRange = 65_536...(1 << 30)

    package init() {}
  }

  /// How long a caller may wait for an entry.
  package static let maxWait = GivenTime.longest
  /// The largest number of entries in one answer.
  package static let maxPage = 20_000
  /// The default number of entries in one answer.
  package static let page = 1000
  /// How much of a body or payload is shown, in bytes.
  package static var maxText: Int { BodyRecord.limit }

  struct State {
    var limits: Limits
    var entries = Deque<RawEntry>()
    var bytes = 0
    var last = 0
    /// The number of the newest entry that was dropped because of the limits.
    var dropped = 0
    /// Entries that began before this, by uptime in nanoseconds, are not recorded.
    var beginning: UInt64 = 0
    /// Accounts with recorded packets, by number.
    var emails: [AccountKey: String] = [:]

    /// The number of the oldest entry, or of the next one.
    var first: Int { entries.isEmpty ? last + 1 : entries[0].number }

    init(limits: Limits) { self.limits = limits }

    /// Drops the oldest entries beyond the limits. They are freed under the lock, because freeing an entry never calls the
    /// journal.
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
  /// The same moment in milliseconds since 1970.
  let startOfDay = MadangCore.Clock.systemTime()
  let state: Mutex<State>
  let arrivals = Arrivals()
  /// The parts of the contract that all events have touched.
  let coverage = Coverage()
  private let recordsPacketsFlag = Atomic(true)
  let eraNumber = Atomic(0)
  let emailOf: @Sendable (Int64) async -> String?
  /// The server's token of development calls; empty if it has none.
  let token = Mutex("")

  /// - Parameters:
  ///   - clock: The server's.
  ///   - emailOf: The e-mail of an account number.
  init(
    clock: MadangCore.Clock, limits: Limits = Limits(),
    emailOf: @escaping @Sendable (Int64) async -> String? = { _ in nil }
  ) {
    self.clock = clock
    state = Mutex(State(limits: limits))
    self.emailOf = emailOf
  }

  /// Whether packets of sockets are recorded. All other events always are.
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

  /// Records an event that happens now.
  func append(_ content: RawContent) {
    append(at: clock.now, begun: NIODeadline.now().uptimeNanoseconds, content)
  }

  /// Records a finished request.
  func append(_ request: FinishedRequest) {
    let known = request.exchange.known
    let operation = known.operation.flatMap(Contract.index)
    coverage.count(request, operation, known)
    let number = append(
      at: request.exchange.at, begun: request.exchange.begun, .request(RawRequest(request, operation, known)))
    if let number { request.exchange.recorded(as: number) }
  }

  /// - Parameters:
  ///   - at: Its start, by the server's clock.
  ///   - begun: Its start, by uptime in nanoseconds.
  /// - Returns: Its number; nil if it began before the journal's beginning.
  @discardableResult
  private func append(at: Int64, begun: UInt64, _ content: RawContent) -> Int? {
    let size = content.size
    let number: Int? = state.withLock { state in
      guard begun >= state.beginning else { return nil }
      state.last += 1
      state.bytes += size
      state.entries.append(RawEntry(number: state.last, at: at, begun: begun, content: content))
      state.forget()
      return state.last
    }
    if number != nil { arrivals.arrived() }
    return number
  }

  /// Removes all entries and ignores events that have begun. Numbers continue.
  func beginAnew() {
    state.withLock { $0.beginning = NIODeadline.now().uptimeNanoseconds }
    clear()
  }

  /// Removes all entries. Numbers continue.
  package func clear() {
    var forgotten = Deque<RawEntry>()
    state.withLock { state in
      swap(&state.entries, &forgotten)
      // Entries that a caller removes do not count as dropped.
      (state.bytes, state.dropped, state.emails) = (0, 0, [:])
    }
  }

  /// The entries after a number, or the first of them.
  struct View {
    let entries: [RawEntry]
    /// The number of the oldest entry of the journal.
    let first: Int
    /// The number up to which the view shows the journal.
    let last: Int
    /// Whether the journal has no later entry.
    let isNewest: Bool
    /// The number of the newest entry that was dropped because of the limits.
    let dropped: Int
  }

  /// - Parameter most: The largest number of entries, the oldest first.
  func entries(after number: Int, most: Int = .max) -> View {
    state.withLock { state in
      let skipped = min(max(0, max(0, number) - state.first + 1), state.entries.count)
      let entries = Array(state.entries.dropFirst(skipped).prefix(most))
      let isNewest = skipped + entries.count == state.entries.count
      return View(
        entries: entries, first: state.first, last: isNewest ? state.last : entries.last?.number ?? number,
        isNewest: isNewest, dropped: state.dropped)
    }
  }
}
