import MadangServer

/// The calls that a test expects of a client (docs/reference/dev.md, "Expectations").
package struct Expectation: CallFields, Sendable {
  package enum Order: String, CallChoice, Sendable {
    /// One after the other, as they are listed.
    case strict
    case any
  }

  /// How often an item must occur.
  package struct Times: Decodable, Equatable, Sendable {
    package var min: Int
    /// Nil: no upper bound.
    package var max: Int?

    package init(min: Int = 0, max: Int? = nil) { (self.min, self.max) = (min, max) }

    private enum CodingKeys: String, CodingKey, CaseIterable {
      case min, max
    }

    package init(from decoder: any Decoder) throws {
      if let number = try? decoder.singleValueContainer().decode(Int.self) {
        self.init(min: number, max: number)
      } else if (try? decoder.container(keyedBy: CodingKeys.self)) == nil {
        throw Self.wrong(decoder)
      } else {
        try decoder.refuseFields(besides: CodingKeys.allCases.map(\.rawValue), of: "times")
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
          min: try fields.decodeIfPresent(Int.self, forKey: .min) ?? 0,
          max: try fields.decodeIfPresent(Int.self, forKey: .max))
      }
      guard min >= 0, max ?? min >= min else { throw Self.wrong(decoder) }
    }

    private static func wrong(_ decoder: any Decoder) -> DecodingError {
      .dataCorrupted(
        .init(
          codingPath: decoder.codingPath,
          debugDescription: "a whole number, or {\"min\": n, \"max\": n} with min not above max"))
    }
  }

  package struct Item: Decodable, Sendable {
    package var filter: JournalFilter
    /// Nil: once.
    package var times: Times?

    package init(_ filter: JournalFilter, times: Times? = nil) { (self.filter, self.times) = (filter, times) }

    private enum CodingKeys: String, CodingKey {
      case times
    }

    package init(from decoder: any Decoder) throws {
      try decoder.refuseFields(besides: JournalFilter.names + [CodingKeys.times.rawValue], of: "something expected")
      filter = try JournalFilter(from: decoder)
      times = try decoder.container(keyedBy: CodingKeys.self).decodeIfPresent(Times.self, forKey: .times)
    }
  }

  /// The largest number of items in one expectation.
  package static let maxItems = 256

  package var expected: [Item]
  package var order = Order.any
  /// Whether no other entries may come, within ``among``.
  package var only = false
  /// The entries that `only` covers; nil: the kinds of the expected items.
  package var among: JournalFilter?
  /// Only entries with a higher number count.
  package var after = 0
  package var wait: Duration = .zero
  /// How long to watch, after all items have come, for entries that must not come.
  package var settle: Duration = .zero

  package init(_ expected: [Item]) { self.expected = expected }

  private enum CodingKeys: String, CodingKey, CaseIterable {
    case expected, order, only, among, after, wait, settle
  }

  package static let names = CodingKeys.allCases.map(\.rawValue)
  package static let whole = "an expectation"

  package init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    expected = try fields.decode([Item].self, forKey: .expected)
    order = try fields.decodeIfPresent(Order.self, forKey: .order) ?? .any
    only = try fields.decodeIfPresent(Bool.self, forKey: .only) ?? false
    among = try fields.decodeIfPresent(KnownFields<JournalFilter>.self, forKey: .among)?.fields
    after = try fields.decodeIfPresent(Int.self, forKey: .after) ?? 0
    guard after >= 0 else { throw BadCall("after: a whole number from 0") }
    if let text = try fields.decodeIfPresent(String.self, forKey: .wait) {
      wait = try WaitText.duration(text, of: "wait", limit: Journal.maxWait)
    }
    if let text = try fields.decodeIfPresent(String.self, forKey: .settle) {
      settle = try WaitText.duration(text, of: "settle", limit: Journal.maxWait)
    }
  }
}

/// An ``Expectation`` that can be compared with entries.
struct ExpectationPattern: Sendable {
  struct Item: Sendable {
    let pattern: JournalPattern
    let times: Expectation.Times
  }

  let expectation: Expectation
  let items: [Item]
  let kinds: Set<JournalEntry.Kind>
  private let among: JournalPattern?

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
      items.append(Item(pattern: pattern, times: item.times ?? .init(min: 1, max: 1)))
    }
    self.items = items
    kinds = items.reduce(into: []) { $0.formUnion($1.pattern.kinds) }
    if let filter = expectation.among {
      do { among = try JournalPattern(filter) } catch { throw BadCall("among.\(error.error)") }
    } else {
      among = nil
    }
  }

  /// Whether an unexpected entry is forbidden.
  func isUnwanted(_ entry: JournalEntry) -> Bool {
    expectation.only && (among?.matches(entry) ?? kinds.contains(entry.kind))
  }

  /// Whether an entry is relevant.
  func concerns(_ kind: JournalEntry.Kind) -> Bool {
    kinds.contains(kind) || (expectation.only && (among?.kinds.contains(kind) ?? false))
  }

  /// Whether any item has an upper bound.
  var hasUpperBounds: Bool { expectation.only || items.contains { $0.times.max != nil } }

  /// Whether no item must come: then the whole time is watched.
  var awaitsNothing: Bool { items.allSatisfy { $0.times.min == 0 } }
}
