import MadangDevelopment
import MadangServer

/// Something that a client is expected to do.
public struct MadangExpected: Sendable {
  let filter: MadangFilter
  let times: Expectation.Times

  /// Once, no more.
  public static func once(_ filter: MadangFilter) -> MadangExpected { times(1, filter) }
  /// So many times, no more.
  public static func times(_ count: Int, _ filter: MadangFilter) -> MadangExpected {
    MadangExpected(filter: filter, times: .init(min: count, max: count))
  }
  /// At least so many times.
  public static func atLeast(_ count: Int, _ filter: MadangFilter) -> MadangExpected {
    MadangExpected(filter: filter, times: .init(min: count))
  }
  /// Not at all.
  public static func never(_ filter: MadangFilter) -> MadangExpected { times(0, filter) }
}

extension MadangWorld {
  /// Waits until everything happened that is expected.
  ///
  /// - Parameters:
  ///   - expected: 1 to 256 of them. Where all may be missing (`never`), the whole time is watched.
  ///   - inOrder: Whether one must come after the other.
  ///   - only: Whether nothing else of these kinds (requests, packets, ...) may come.
  ///   - filter: With `only`: of what nothing else may come; nil for all of these kinds.
  ///   - number: Only what has a higher number counts, such as `journal.last` before the test acts.
  ///   - time: In real time, 60 seconds at most.
  ///   - settling: For how long nothing more may come that is not to come, once everything is there: in real time, 60 seconds at
  ///     most.
  /// - Throws: ``MadangTestingError`` that says what was different.
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
