import Testing

@testable import MadangDevelopment

@Suite("Spacing of expectations", .timeLimit(.minutes(5)))
struct SpacingTests {
  private static func pattern(_ items: Int, spacing: Expected.Spacing?, max: Int? = nil) throws -> ExpectationPattern {
    try ExpectationPattern(
      Expected((0..<items).map { _ in .init(.post, times: .init(max: max), spacing: spacing) }))
  }

  /// Posts with these starts, in milliseconds, in the order of their numbers.
  private static func entries(_ starts: [UInt64]) throws -> [(entry: JournalEntry, begun: UInt64)] {
    let posts = JudgedJournal("", Array(repeating: .post("a"), count: starts.count), []).entries
    return zip(posts, starts).map { ($0.entry, $1 * 1_000_000) }
  }

  @Test("all gaps are counted, and the first hundred of an answer are kept, however many items and entries there are")
  func manyGaps() throws {
    let (items, entries) = (256, 2000)
    var progress = ExpectationProgress(try Self.pattern(items, spacing: .init(atLeast: .seconds(3600))))
    let all = try Self.entries((0..<UInt64(entries)).map(\.self))
    // As they arrive, one by one.
    for entry in all { progress.take([entry]) }
    #expect(progress.spacings.tooSoon == items * (entries - 1))
    #expect(progress.spacings.steps <= entries * (items + 2), "\(progress.spacings.steps)")
    #expect(progress.spacings.gaps(upTo: 100, of: progress.byStart, progress.came).count == 100)
    let outcome = ExpectationFindings(progress, all.map(\.entry)).outcome(from: 1, last: entries, lost: 0)
    #expect(!outcome.met && outcome.spacing.count == 100)
    #expect(outcome.spacing.first == .init(expected: 1, entries: [1, 2], seconds: 0.001))
    #expect(outcome.differences.count == 101 && outcome.differences.last == "and 511644 more too soon or too late")
  }

  @Test("an entry costs at most as many steps as there are entries and items, also if its item is rare")
  func rare() throws {
    var expectation = Expected([.init(.post("b"), times: .init(), spacing: .init(atMost: .seconds(1)))])
    expectation.expected += (1..<64).map { _ in .init(.post, times: .init(), spacing: .init(atMost: .seconds(1))) }
    var progress = ExpectationProgress(try ExpectationPattern(expectation))
    let journal = JudgedJournal("", [.post("b")] + Array(repeating: .post("a"), count: 500) + [.post("b")], []).entries
    for (index, entry) in journal.enumerated() {
      let before = progress.spacings.steps
      progress.take([entry])
      #expect(progress.spacings.steps - before <= index + 64)
    }
    #expect(progress.spacings.tooLate == 1)
    #expect(progress.spacings.gaps(upTo: 100, of: progress.byStart, progress.came).first?.entries == [1, 502])
  }

  @Test("gaps are the same in any order of arrival", arguments: 0..<20)
  func orders(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let starts = (0..<30).map { _ in UInt64.random(in: 0..<20_000, using: &random) }
    let pattern = try Self.pattern(2, spacing: .init(atLeast: .milliseconds(300), atMost: .milliseconds(900)))
    var progress = ExpectationProgress(pattern)
    for entry in try Self.entries(starts) { progress.take([entry]) }
    let times = zip(starts.sorted(), starts.sorted().dropFirst()).map { $1 - $0 }
    #expect(progress.spacings.tooSoon == 2 * times.count { $0 < 300 })
    #expect(progress.spacings.tooLate == 2 * times.count { $0 > 900 })
    let gaps = progress.spacings.gaps(upTo: 100, of: progress.byStart, progress.came)
    #expect(gaps.count == 2 * times.count { $0 < 300 || $0 > 900 })
  }

  @Test("an entry that is left over names ten of its items")
  func extra() throws {
    let entries = try Self.entries([1, 2, 3])
    let outcome = try Self.pattern(64, spacing: nil, max: 0).outcome(of: entries)
    #expect(outcome.forbidden == [.init(expected: 1, entries: [1, 2, 3])])
    let full = try ExpectationPattern(Expected((0..<64).map { _ in .times(1, .post) }))
    let crowd = full.outcome(of: try Self.entries((0..<70).map(\.self)))
    #expect(crowd.extra.count == 6 && crowd.extra.allSatisfy { $0.expected == Array(1...10) })
  }
}
