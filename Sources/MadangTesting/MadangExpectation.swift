import MadangDevelopment
import MadangServer

/// Something that a client is expected to do.
public struct MadangExpected: Sendable {
  let filter: MadangFilter
  let times: Expectation.Times
  private var least: MadangTime?
  private var most: MadangTime?

  private init(filter: MadangFilter, times: Expectation.Times) { (self.filter, self.times) = (filter, times) }

  /// Exactly once.
  public static func once(_ filter: MadangFilter) -> MadangExpected { times(1, filter) }
  /// Exactly `count` times.
  public static func times(_ count: Int, _ filter: MadangFilter) -> MadangExpected {
    MadangExpected(filter: filter, times: .init(min: count, max: count))
  }
  /// At least `count` times.
  public static func atLeast(_ count: Int, _ filter: MadangFilter) -> MadangExpected {
    MadangExpected(filter: filter, times: .init(min: count))
  }
  /// At most `count` times.
  public static func atMost(_ count: Int, _ filter: MadangFilter) -> MadangExpected {
    MadangExpected(filter: filter, times: .init(max: count))
  }
  /// At least and at most so many times.
  public static func times(_ range: ClosedRange<Int>, _ filter: MadangFilter) -> MadangExpected {
    MadangExpected(filter: filter, times: .init(min: range.lowerBound, max: range.upperBound))
  }
  /// Never. Entries that count for an item that names the same and more are excepted.
  public static func never(_ filter: MadangFilter) -> MadangExpected { times(0, filter) }

  /// The same, with a bound for the real time between the start of each entry that the filter matches and the start of the
  /// next one: "again after at least a second, at most three times" is `.times(1...3, filter).spaced(atLeast: .seconds(1))`.
  public func spaced(atLeast least: MadangTime? = nil, atMost most: MadangTime? = nil) -> MadangExpected {
    var copy = self
    (copy.least, copy.most) = (least, most)
    return copy
  }

  /// - Throws: ``MadangTestingError`` for text that is no length of time.
  var spacing: Expectation.Spacing? {
    get throws(MadangTestingError) {
      guard least != nil || most != nil else { return nil }
      let longest = Expectation.Spacing.longest
      return .init(
        atLeast: try least?.duration(of: "atLeast", limit: longest),
        atMost: try most?.duration(of: "atMost", limit: longest))
    }
  }
}

extension MadangWorld {
  /// Waits until all expectations are met.
  ///
  /// - Parameters:
  ///   - expected: 1 to 256 expectations. If all of them are `never`, the whole time is watched.
  ///   - inOrder: Whether they must happen in this order.
  ///   - only: Whether no other entries of these kinds (requests, packets, ...) may happen.
  ///   - filter: With `only`: the entries that count as unexpected; nil for all entries of these kinds.
  ///   - number: Only entries with a higher number count; for instance, use `journal.last` from before the test acts.
  ///   - time: In real time, 60 seconds at most.
  ///   - settling: How long to watch for unexpected entries after all expectations are met: in real time, 60 seconds at most.
  /// - Throws: ``MadangTestingError`` that describes the differences, one a line, with near misses; then the place of this call, and the
  ///   newest entries of the journal.
  public func expect(
    _ expected: [MadangExpected], inOrder: Bool = false, only: Bool = false, among filter: MadangFilter? = nil,
    after number: Int = 0, within time: MadangTime = .seconds(5), settling: MadangTime = .zero,
    fileID: String = #fileID, line: Int = #line
  ) async throws {
    let outcome = try await MadangTestingError.wording {
      var expectation = Expectation([])
      for item in expected {
        let filter = try await item.filter.spelledOut(by: kit.people)
        expectation.expected.append(.init(filter, times: item.times, spacing: try item.spacing))
      }
      expectation.order = inOrder ? .strict : .any
      (expectation.only, expectation.after) = (only, number)
      expectation.wait = try time.duration(of: "within", limit: Journal.maxWait)
      expectation.settle = try settling.duration(of: "settling", limit: Journal.maxWait)
      expectation.among = try await filter?.spelledOut(by: kit.people)
      return try await kit.journal.outcome(of: expectation)
    }
    guard outcome.met else { throw await journal.failure(outcome.differences, at: fileID, line) }
  }
}
