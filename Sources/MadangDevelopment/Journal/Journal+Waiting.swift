import MadangServer
import Synchronization

extension Journal {
  /// One page of the journal.
  package struct Page: Codable, Sendable {
    /// The number of the journal's oldest entry.
    package let from: Int
    /// The number of the last entry examined: pass it as `after` next time.
    package let last: Int
    /// Whether there are as many entries as the caller waited for.
    package let complete: Bool
    package let entries: [JournalEntry]
  }

  /// The entries that a caller asks for.
  struct Question: Sendable {
    var pattern: JournalPattern
    /// Only entries with a higher number.
    var after = 0
    /// The largest number of entries, the oldest first.
    var limit = Journal.page
    /// How many entries to wait for.
    var count = 1
    /// How long to wait, in real time.
    var wait: Duration = .zero
  }

  /// The entries that match a filter, as soon as there are enough or the time is over.
  ///
  /// - Parameters:
  ///   - number: Only entries with a higher number.
  ///   - limit: The largest number of entries, the oldest first.
  ///   - count: How many entries to wait for.
  ///   - wait: How long to wait, in real time.
  package func page(
    matching filter: JournalFilter, after number: Int = 0, limit: Int = Journal.page, count: Int = 1,
    wait: Duration = .zero
  ) async throws(BadCall) -> Page {
    try await page(
      Question(pattern: try JournalPattern(filter), after: number, limit: limit, count: count, wait: wait))
  }

  /// The number of the newest entry.
  package var last: Int { state.withLock { $0.last } }

  /// The newest entries, by number: so many at most.
  package func newest(_ count: Int) async -> [JournalEntry] {
    let entries = entries(after: last - count).entries
    await nameAccounts(in: entries)
    return entries.map(told)
  }

  /// The matching entries, as soon as there are enough or the time is over.
  func page(_ question: Question) async throws(BadCall) -> Page {
    try check(after: question.after)
    var found: [(entry: JournalEntry, begun: UInt64)] = []
    var from = 1
    let kinds = question.pattern.kinds
    let last = await follow(after: question.after, for: question.wait, most: Self.portion) { view in
      from = view.first
      for raw in view.entries where kinds.contains(raw.content.kind) {
        let entry = self.told(raw)
        guard question.pattern.matches(entry) else { continue }
        found.append((entry, raw.begun))
        if found.count == question.limit { return entry.number }
      }
      return view.isNewest && found.count >= question.count ? view.last : nil
    }
    // A request, which is recorded when it is answered, comes before the events that it caused.
    found.sort { ($0.begun, $0.entry.number) < ($1.begun, $1.entry.number) }
    return Page(from: from, last: last, complete: found.count >= question.count, entries: found.map(\.entry))
  }

  /// Each server's numbers start at 1: a number from another server would hide all entries.
  func check(after number: Int) throws(BadCall) {
    let last = last
    guard number > last else { return }
    throw BadCall(
      "after: the journal has numbers up to \(last); do not use numbers of another world or an earlier run")
  }

  func told(_ entry: RawEntry) -> JournalEntry {
    entry.told(since: start, token: token.withLock(\.self)) { key in state.withLock { $0.emails[key] } }
  }

  /// Entries that a page examines at once. A reader that is far behind needs few of them for an answer.
  private static let portion = 512

  /// Shows `look` the entries after a number, then new ones, until it returns the number up to which it has seen enough, or
  /// the time is over. Returns the last number examined.
  ///
  /// - Parameter most: The largest number of entries shown at once.
  func follow(
    after: Int, for wait: Duration, most: Int = .max,
    _ look: (View) -> Int?
  ) async -> Int {
    await arrivals.waiting(for: wait) { iterator in
      var position = after
      while true {
        guard !Task.isCancelled else { return position }
        let view = entries(after: position, most: most)
        await nameAccounts(in: view.entries)
        if let seen = look(view) { return seen }
        position = max(position, view.last)
        guard view.isNewest else { continue }
        guard wait > .zero, !Task.isCancelled, await iterator.next() != nil else { return position }
      }
    }
  }
}
