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

  /// The real time between the start of each entry that an item's filter matches and the start of the next one.
  package struct Spacing: CallFields, Equatable, Sendable {
    package static let names = CodingKeys.allCases.map(\.rawValue)
    package static let whole = "spacing"
    package static let longest: Duration = .seconds(24 * 3600)

    package var atLeast: Duration?
    package var atMost: Duration?

    package init(atLeast: Duration? = nil, atMost: Duration? = nil) { (self.atLeast, self.atMost) = (atLeast, atMost) }

    private enum CodingKeys: String, CodingKey, CaseIterable {
      case atLeast, atMost
    }

    package init(from decoder: any Decoder) throws {
      let fields = try decoder.container(keyedBy: CodingKeys.self)
      func time(_ key: CodingKeys) throws -> Duration? {
        try fields.decodeIfPresent(GivenTime.self, forKey: key).map {
          try $0.duration(of: BadCall.place(decoder.codingPath + [key]), limit: Self.longest)
        }
      }
      (atLeast, atMost) = (try time(.atLeast), try time(.atMost))
      guard atLeast ?? .zero <= atMost ?? Self.longest, atLeast != nil || atMost != nil else {
        throw DecodingError.dataCorrupted(
          .init(
            codingPath: decoder.codingPath,
            debugDescription:
              #"{"atLeast": "1s", "atMost": "1m"}, or one of them, with atLeast not above atMost"#))
      }
    }
  }

  package struct Item: Decodable, Sendable {
    package var filter: JournalFilter
    /// Nil: once.
    package var times: Times?
    package var spacing: Spacing?

    package init(_ filter: JournalFilter, times: Times? = nil, spacing: Spacing? = nil) {
      (self.filter, self.times, self.spacing) = (filter, times, spacing)
    }

    package enum CodingKeys: String, CodingKey, CaseIterable {
      case times, spacing
    }

    package static let names = JournalFilter.names + CodingKeys.allCases.map(\.rawValue)

    package init(from decoder: any Decoder) throws {
      try decoder.refuseFields(besides: Self.names, of: "something expected")
      filter = try JournalFilter(from: decoder)
      let fields = try decoder.container(keyedBy: CodingKeys.self)
      times = try fields.decodeIfPresent(Times.self, forKey: .times)
      spacing = try fields.decodeIfPresent(KnownFields<Spacing>.self, forKey: .spacing)?.fields
    }
  }

  /// The largest number of items in one expectation.
  package static let maxItems = ItemSet.limit
  /// The largest number of entries that may concern one expectation.
  package static let maxEntries = 20_000

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
    if let time = try fields.decodeIfPresent(GivenTime.self, forKey: .wait) {
      wait = try time.duration(of: "wait", limit: Journal.maxWait)
    }
    if let time = try fields.decodeIfPresent(GivenTime.self, forKey: .settle) {
      settle = try time.duration(of: "settle", limit: Journal.maxWait)
    }
  }
}
