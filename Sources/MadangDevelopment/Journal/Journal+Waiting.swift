import MadangServer
import Synchronization

extension Journal {
  /// What an answer tells.
  package struct Page: Codable, Sendable {
    /// The number of the oldest entry that the journal has.
    package let from: Int
    /// Up to where it was looked: to be given as `after` for what follows.
    package let last: Int
    /// Whether as many entries are there as somebody waited for.
    package let complete: Bool
    package let entries: [JournalEntry]
  }

  /// Which entries somebody wants.
  struct Question: Sendable {
    var pattern: JournalPattern
    /// Only those with a higher number.
    var after = 0
    /// So many at most, the oldest first.
    var limit = Journal.page
    /// How many are waited for.
    var count = 1
    /// How long, in real time.
    var wait: Duration = .zero
  }

  /// Those that match a filter; as soon as there are enough, else when the time is over.
  ///
  /// - Parameters:
  ///   - number: Only those with a higher number.
  ///   - limit: So many at most, the oldest first.
  ///   - count: How many are waited for.
  ///   - wait: How long, in real time.
  package func page(
    matching filter: JournalFilter, after number: Int = 0, limit: Int = Journal.page, count: Int = 1,
    wait: Duration = .zero
  ) async throws(BadCall) -> Page {
    try await page(
      Question(pattern: try JournalPattern(filter), after: number, limit: limit, count: count, wait: wait))
  }

  /// The number of the newest entry.
  package var last: Int { state.withLock { $0.last } }

  /// Those that match; as soon as there are enough, else when the time is over.
  func page(_ question: Question) async throws(BadCall) -> Page {
    try check(after: question.after)
    var found: [JournalEntry] = []
    var from = 1
    let kinds = question.pattern.kinds
    let last = await follow(after: question.after, for: question.wait) { view in
      from = view.first
      for entry in view.entries where kinds.contains(entry.happening.kind) {
        let entry = self.told(entry)
        guard question.pattern.matches(entry) else { continue }
        found.append(entry)
        if found.count == question.limit { return entry.number }
      }
      return found.count >= question.count ? view.last : nil
    }
    return Page(from: from, last: last, complete: found.count >= question.count, entries: found)
  }

  /// Numbers begin anew with each server: one of another server would hide whatever happens.
  func check(after number: Int) throws(BadCall) {
    let last = last
    guard number > last else { return }
    throw BadCall(
      "after: the journal has numbers up to \(last); those of another world, or of an earlier run, mean nothing")
  }

  func told(_ entry: RawEntry) -> JournalEntry {
    entry.told(since: start) { key in state.withLock { $0.emails[key] } }
  }

  /// Shows what is there behind a number, and then what comes, until `look` says up to where it has seen enough, or the time is
  /// over. Returns up to where was looked.
  func follow(
    after: Int, for wait: Duration,
    _ look: (View) -> Int?
  ) async -> Int {
    let (news, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let id = state.withLock { state in
      state.lastWaiting += 1
      state.waiting[state.lastWaiting] = continuation
      return state.lastWaiting
    }
    let end = Task {
      try? await Task.sleep(for: wait)
      continuation.finish()
    }
    defer {
      end.cancel()
      state.withLock { $0.waiting[id] = nil }
    }
    var position = after
    var iterator = news.makeAsyncIterator()
    while true {
      guard !Task.isCancelled else { return position }
      let view = entries(after: position)
      await nameAccounts(in: view.entries)
      if let seen = look(view) { return seen }
      position = max(position, view.last)
      guard wait > .zero, !Task.isCancelled, await iterator.next() != nil else { return position }
    }
  }
}
