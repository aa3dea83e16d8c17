import MadangServer

/// An ``Expectation`` that can be compared with entries.
struct ExpectationPattern: Sendable {
  struct Item: Sendable {
    let pattern: JournalPattern
    let times: Expectation.Times
    let spacing: Expectation.Spacing?
  }

  let expectation: Expectation
  let items: [Item]
  let kinds: Set<JournalEntry.Kind>
  private let among: JournalPattern?
  /// The items that must not come, each with the items that are exceptions from it.
  private let exceptions: [(never: Int, exceptions: ItemSet)]

  /// - Throws: `BadCall` with the field and its valid values.
  init(_ expectation: Expectation) throws(BadCall) {
    guard (1...Expectation.maxItems).contains(expectation.expected.count) else {
      throw BadCall("expected: 1 to \(Expectation.maxItems) calls or packets")
    }
    guard expectation.only || expectation.among == nil else {
      throw BadCall("among: needs \"only\": true")
    }
    self.expectation = expectation
    var items: [Item] = []
    for (index, item) in expectation.expected.enumerated() {
      let pattern: JournalPattern
      do { pattern = try JournalPattern(item.filter) } catch { throw BadCall("expected[\(index)].\(error.error)") }
      items.append(Item(pattern: pattern, times: item.times ?? .init(min: 1, max: 1), spacing: item.spacing))
    }
    self.items = items
    kinds = items.reduce(into: []) { $0.formUnion($1.pattern.kinds) }
    if let filter = expectation.among {
      do { among = try JournalPattern(filter) } catch { throw BadCall("among.\(error.error)") }
    } else {
      among = nil
    }
    exceptions = items.indices.filter { items[$0].times.max == 0 }.map { never in
      var exceptions = ItemSet()
      for (index, item) in items.enumerated()
      where item.times.max != 0 && item.pattern.filter.isWithin(items[never].pattern.filter) {
        exceptions.insert(index)
      }
      return (never, exceptions)
    }
  }

  /// What an entry means for the items.
  struct Meaning: Equatable, Sendable {
    /// The items whose filter it matches.
    var matching = ItemSet()
    /// The items that it may count for.
    var fitting = ItemSet()
    /// The item that must not come; nil if it may.
    var forbidden: Int?
  }

  /// Nil if the entry does not matter.
  func meaning(of entry: JournalEntry) -> Meaning? {
    var read = ReadEntry(entry)
    var meaning = Meaning()
    for (index, item) in items.enumerated() where item.pattern.matches(&read) { meaning.matching.insert(index) }
    guard !meaning.matching.isEmpty else { return isUnwanted(&read) ? meaning : nil }
    meaning.fitting = meaning.matching
    for (never, exceptions) in exceptions where meaning.matching.contains(never) {
      var allowed = meaning.fitting
      allowed.formIntersection(exceptions)
      if !allowed.isEmpty { meaning.fitting = allowed } else { meaning.forbidden = meaning.forbidden ?? never }
    }
    return meaning
  }

  /// Whether an unexpected entry is forbidden.
  private func isUnwanted(_ entry: inout ReadEntry) -> Bool {
    guard expectation.only else { return false }
    return among?.matches(&entry) ?? kinds.contains(entry.entry.kind)
  }

  /// Whether an entry is relevant.
  func concerns(_ kind: JournalEntry.Kind) -> Bool {
    kinds.contains(kind) || (expectation.only && (among?.kinds.contains(kind) ?? false))
  }

  /// Whether any item has an upper bound.
  var hasUpperBounds: Bool { expectation.only || items.contains { $0.times.max != nil || $0.spacing != nil } }

  /// Whether no item must come: then the whole time is watched.
  var awaitsNothing: Bool { items.allSatisfy { $0.times.min == 0 } }
}

extension JournalFilter {
  /// Whether all entries that match this filter match another one, as far as the texts show.
  fileprivate func isWithin(_ other: JournalFilter) -> Bool {
    let haveTexts = Field.allCases.allSatisfy { field in
      guard let wide = other[field] else { return true }
      return self[field].map { $0 == wide || TextPattern(wide).matches($0) } ?? false
    }
    return haveTexts && Self.isWithin(body, other.body) && Self.isWithin(answer, other.answer)
  }

  private static func isWithin(_ value: JSONValue?, _ other: JSONValue?) -> Bool {
    guard let other else { return true }
    return value?.contains(other) ?? false
  }
}
