import MadangDevelopment
import MadangServer

/// Something that a client is expected to do.
public struct MadangExpected: Sendable {
  let filter: MadangFilter
  let times: Expectation.Times

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
  /// Never.
  public static func never(_ filter: MadangFilter) -> MadangExpected { times(0, filter) }
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
  /// - Throws: ``MadangTestingError`` that describes the difference.
  public func expect(
    _ expected: [MadangExpected], inOrder: Bool = false, only: Bool = false, among filter: MadangFilter? = nil,
    after number: Int = 0, within time: Duration = .seconds(5), settling: Duration = .zero
  ) async throws {
    let outcome = try await MadangTestingError.wording {
      var expectation = Expectation([])
      for item in expected {
        let filter = try await item.filter.spelledOut(by: kit.people)
        expectation.expected.append(.init(filter, times: item.times))
      }
      expectation.order = inOrder ? .strict : .any
      (expectation.only, expectation.after, expectation.wait) = (only, number, min(time, Journal.maxWait))
      expectation.settle = min(settling, Journal.maxWait)
      expectation.among = try await filter?.spelledOut(by: kit.people)
      return try await kit.journal.outcome(of: expectation)
    }
    guard outcome.met else { throw MadangTestingError(description: outcome.differences.joined(separator: "\n")) }
  }
}
