extension Journal {
  package func outcome(of expectation: Expectation) async throws(BadCall) -> ExpectationOutcome {
    try await outcome(of: try ExpectationPattern(expectation))
  }

  /// Compares an expectation with past and new entries until it is met, can no longer be met, or the time is over.
  ///
  /// - Throws: `BadCall` if the journal does not have the needed entries.
  func outcome(of pattern: ExpectationPattern) async throws(BadCall) -> ExpectationOutcome {
    let after = pattern.expectation.after
    try check(after: after)
    if !recordsPackets, pattern.items.contains(where: { $0.pattern.kinds == [.packet] }) {
      throw BadCall(
        #"expected: packets are not recorded; switch that on with POST /_dev/journal {"packets": true}"#)
    }
    var progress = ExpectationProgress(pattern)
    var (from, seen, lost) = (1, after, 0)
    /// Whether it can no longer be met.
    func see(_ view: View) -> Bool {
      if view.dropped > seen { lost = view.dropped }
      (from, seen) = (view.first, view.last)
      progress.take(
        view.entries.lazy.filter { pattern.concerns($0.content.kind) }.map { (entry: self.told($0), begun: $0.begun) })
      return progress.isHopeless || progress.isOverfull
    }
    var last = await follow(after: after, for: pattern.expectation.wait) { view in
      see(view) || progress.isMet && !pattern.awaitsNothing ? view.last : nil
    }
    if progress.isMet, pattern.expectation.settle > .zero {
      last = await follow(after: last, for: pattern.expectation.settle) { see($0) ? $0.last : nil }
    }
    guard !progress.isOverfull else {
      throw BadCall(
        """
        expected: more than \(Expectation.maxEntries) entries concern it; give a higher 'after', or say more about what \
        is expected
        """)
    }
    let entries = entries(after: after).entries.filter { $0.number <= last && pattern.concerns($0.content.kind) }
    return ExpectationFindings(progress, entries.lazy.map(told))
      .outcome(from: from, last: last, lost: pattern.hasUpperBounds ? lost : 0)
  }
}

extension ExpectationPattern {
  /// Compares it with a whole journal.
  func outcome(of entries: [(entry: JournalEntry, begun: UInt64)]) -> ExpectationOutcome {
    var progress = ExpectationProgress(self)
    progress.take(entries)
    return ExpectationFindings(progress, entries.map(\.entry)).outcome(from: 1, last: entries.count, lost: 0)
  }
}
