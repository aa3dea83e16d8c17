import Testing

@testable import MadangDevelopment

@Suite("Journals compared with expectations", .timeLimit(.minutes(5)))
struct JudgedJournalTests {
  @Test("an expectation is compared with the whole journal", arguments: JudgedJournal.all)
  func judged(_ row: JudgedJournal) throws {
    let outcome = try row.judged()
    #expect(outcome.met == row.isMet, "\(outcome.differences)")
    #expect(outcome.differences.isEmpty == row.isMet)
    #expect(outcome.missing.map { "\($0.expected): \($0.came) of \($0.of)" } == row.missing)
    #expect(outcome.extra.map(\.entry) == row.extra)
    #expect(outcome.forbidden.flatMap { one in one.entries.map { "\(one.expected): \($0)" } } == row.forbidden)
    let order = outcome.order.map { one in
      one.before.map { "\(one.entry) before \($0)" } ?? "\(one.entry) after \(one.after ?? 0)"
    }
    #expect(order == row.wrongOrder)
    #expect(outcome.spacing.map { $0.entries.map(String.init).joined(separator: ", ") } == row.spacing)
    let near = outcome.differences.filter { $0.hasPrefix("near: ") }.map { String($0.dropFirst("near: ".count)) }
    #expect(near == row.near && outcome.near.count == near.count)
  }

  @Test("the table has at least 40 rows")
  func rows() { #expect(JudgedJournal.all.count >= 40) }

  @Test("each difference is a sentence", arguments: Sentences.all)
  func sentences(_ row: Sentences) throws { #expect(try row.journal.judged().differences == row.differences) }

  @Test("a near miss is also JSON, with long texts cut")
  func near() throws {
    let long = String(repeating: "x", count: 1000)
    let outcome = try JudgedJournal("", [.post(long)], [.once(.post("Hi"))]).judged()
    let difference = try #require(outcome.near.first?.differences.first)
    #expect(outcome.near.first?.entry == 1 && difference.field == "body.content" && difference.expected == .text("Hi"))
    #expect(difference.was == .text(String(repeating: "x", count: 200) + "..."))
  }
}

struct Sentences: Sendable {
  let journal: JudgedJournal
  let differences: [String]

  private init(_ journal: JudgedJournal, _ differences: String...) {
    (self.journal, self.differences) = (journal, differences)
  }

  static let all: [Sentences] = [missing, tooOften, forbidden, unwanted, wrongOrder, tooSoon, near]

  private static let missing = Sentences(
    JudgedJournal("", [.post("Hi")], [.times(2, .post)]), "missing: operation postToChannel, 1 of 2 came")
  private static let tooOften = Sentences(
    JudgedJournal("", [.post("a"), .post("b"), .post("c")], [.times(1...2, .post)]),
    "came too often: operation postToChannel, 3 times instead of at most 2 (entries 1, 2, 3)")
  private static let forbidden = Sentences(
    JudgedJournal("", [.leave], [.never(.leave)]), "must not come: operation leaveChannel (entry 1)")
  private static let unwanted = Sentences(
    JudgedJournal("", [.post("a"), .leave], [.once(.post)], only: true), "also came: entry 2 leaveChannel with 200")
  private static let wrongOrder = Sentences(
    JudgedJournal("", [.history, .post("a")], [.once(.post), .once(.history)], .strict),
    """
    wrong order: entry 2 postToChannel with 200 came after entry 1 channelHistory with 200, expected before it
    """)
  private static let tooSoon = Sentences(
    JudgedJournal(
      "", [Came.post("a").at(0), Came.post("a").at(0.25)], [.spaced(.times(2, .post), atLeast: .seconds(1))]),
    "too soon: operation postToChannel, entry 2 came 0.25 seconds after entry 1, expected at least 1.0 seconds")
  private static let near = Sentences(
    JudgedJournal("", [.post("Helo")], [.once(.post("Hello"))]),
    #"missing: operation postToChannel, body {"content":"Hello"}, 0 of 1 came"#,
    "near: entry 1: content was 'Helo', expected 'Hello'")
}
