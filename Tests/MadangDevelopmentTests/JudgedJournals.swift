@testable import MadangDevelopment

extension JudgedJournal {
  static let all: [JudgedJournal] = counts + choices + forbidden + ordered + nearMisses + spacings

  /// How often.
  private static let counts: [JudgedJournal] = [
    .init("what came once is met", [.post("Hi")], [.once(.post)]),
    .init("an empty journal lacks the item", [], [.once(.post)], missing: ["1: 0 of 1"]),
    .init("one of two is missing", [.post("Hi")], [.times(2, .post)], missing: ["1: 1 of 2"]),
    .init("a third is extra", [.post("a"), .post("b"), .post("c")], [.times(2, .post)], extra: [3]),
    .init("a range takes its least", [.post("a")], [.times(1...3, .post)]),
    .init("a range takes its most", [.post("a"), .post("b"), .post("c")], [.times(1...3, .post)]),
    .init("beyond a range is extra", [.post("a"), .post("b"), .post("c")], [.times(1...2, .post)], extra: [3]),
    .init("at least one takes many", [.post("a"), .post("b"), .post("c")], [.atLeast(1, .post)]),
    .init("other entries are ignored", [.history, .post("Hi"), .leave], [.once(.post)]),
    .init(
      "with only they are extra", [.history, .post("Hi"), .leave], [.once(.post)], only: true, extra: [1, 3]),
    .init(
      "only covers the kinds of the items", [.event("Hi"), .post("Hi")], [.once(.post)], only: true),
    .init(
      "among limits only", [.history, .post("Hi"), .signIn(status: 200)], [.once(.post)], only: true,
      among: JournalFilter { $0.method = "POST" }, extra: [3]),
  ]

  /// Entries that could count for several items.
  private static let choices: [JudgedJournal] = [
    .init(
      "the narrow item gets its entry from the wide one", [.post("Hi"), .post("Bye")],
      [.once(.post), .once(.post("Hi"))]),
    .init("in either order of the items", [.post("Hi"), .post("Bye")], [.once(.post("Hi")), .once(.post)]),
    .init(
      "a chain of three makes room", [.post("a"), .post("a", by: "joon"), .post("b")],
      [.once(.post), .once(.post("a")), .once(.post.having { $0.account = "mina@example.com" })]),
    .init(
      "one entry cannot count for two items", [.post("Hi")], [.once(.post), .once(.post("Hi"))], missing: ["2: 0 of 1"]),
    .init(
      "at least once leaves the last entry to another item", [.post("a"), .post("Hi")],
      [.atLeast(1, .post), .once(.post("Hi"))]),
    .init(
      "a need comes before a may", [.post("Hi")], [.times(0...3, .post), .once(.post("Hi"))]),
    .init(
      "the surplus of two overlapping items is extra", [.post("Hi"), .post("Hi"), .post("Hi")],
      [.once(.post), .once(.post("Hi"))], extra: [3]),
    .init(
      "what came is not called missing because another call did not", [.history, .post("a"), .history, .post("b")],
      [.once(.leave), .once(.post("a")), .times(2, .history), .once(.post("b"))], missing: ["1: 0 of 1"]),
  ]

  /// Items that must not come.
  private static let forbidden: [JudgedJournal] = [
    .init("never is met by nothing", [.post("Hi")], [.never(.leave)]),
    .init("never is not met by one", [.leave], [.never(.leave)], forbidden: ["1: 1"]),
    .init(
      "never finds an entry that another item would take", [.post("Hi", status: 500)],
      [.atLeast(1, .post), .never(JournalFilter { $0.status = "5*" })], forbidden: ["2: 1"]),
    .init(
      "a narrower item is an exception from never", [.post("Hi")],
      [.once(.post.having { $0.status = "200" }), .never(.post)]),
    .init(
      "and nothing else is", [.post("Hi"), .post("Bye")], [.once(.post("Hi")), .never(.post)], forbidden: ["2: 2"]),
    .init(
      "but only as often as it says", [.post("Hi"), .post("Hi")], [.once(.post("Hi")), .never(.post)], extra: [2]),
    .init(
      "a refusal among successes", [.signIn(status: 200), .signIn(status: 419)],
      [.atLeast(1, JournalFilter { $0.operation = "signIn" }), .never(JournalFilter { $0.code = "E05" })],
      forbidden: ["2: 2"]),
  ]

  /// In the listed order.
  private static let ordered: [JudgedJournal] = [
    .init(
      "in order", [.post("a"), .history, .post("b")], [.once(.post("a")), .once(.history), .once(.post("b"))], .strict),
    .init(
      "two in the wrong order", [.history, .post("a")], [.once(.post("a")), .once(.history)], .strict,
      wrongOrder: ["2 after 1"]),
    .init(
      "one entry too early is not missing, and the others keep their places",
      [.leave, .post("a"), .history, .post("b")],
      [.once(.post("a")), .once(.history), .once(.post("b")), .once(.leave)], .strict,
      wrongOrder: ["1 before 4"]),
    .init(
      "one entry too late", [.history, .post("b"), .leave], [.once(.leave), .once(.history), .once(.post("b"))],
      .strict,
      wrongOrder: ["3 after 1"]),
    .init(
      "something missing in the middle", [.post("a"), .post("b")],
      [.once(.post("a")), .once(.history), .once(.post("b"))], .strict,
      missing: ["2: 0 of 1"]),
    .init(
      "the start counts, not the number", [Came.event("Hi").at(2), Came.post("Hi").at(1)],
      [.once(.post), .once(.chatEvent)], .strict),
    .init(
      "equal calls at both ends", [.post("a"), .history, .post("b")], [.once(.post), .once(.history), .once(.post)],
      .strict),
    .init(
      "a may in the middle may be left out", [.post("a"), .post("b")],
      [.once(.post), .times(0...1, .leave), .once(.post)], .strict),
    .init(
      "at least once, and then another", [.history, .history, .history, .leave],
      [.atLeast(1, .history), .once(.leave)], .strict),
    .init(
      "a repeated call that returns later is extra", [.history, .leave, .history], [.once(.history), .once(.leave)],
      .strict,
      extra: [3]),
    .init(
      "at least once does not reach past its successor", [.history, .leave, .history],
      [.atLeast(1, .history), .once(.leave)], .strict, wrongOrder: ["3 after 2"]),
    .init(
      "a wide item leaves the last entry to the narrow one", [.post("a"), .post("Hi")],
      [.atLeast(1, .post), .once(.post("Hi"))], .strict),
    .init(
      "only, in order", [.post("a"), .leave, .history], [.once(.post), .once(.history)], .strict, only: true, extra: [2]
    ),
    .init(
      "wrong order and something missing at once", [.history, .post("a")],
      [.once(.post), .once(.history), .once(.leave)], .strict, missing: ["3: 0 of 1"], wrongOrder: ["2 after 1"]),
    .init(
      "never within an order", [.post("a"), .leave, .history], [.once(.post), .never(.leave), .once(.history)], .strict,
      forbidden: ["2: 2"]),
  ]

  /// Entries that differ little.
  private static let nearMisses: [JudgedJournal] = [
    .init(
      "a mistyped text", [.history, .post("x"), .event("Hello"), .post("Helo")], [.once(.post("Hello"))],
      missing: ["1: 0 of 1"], near: ["entry 4: content was 'Helo', expected 'Hello'"]),
    .init(
      "a text of two lines", [.post(#"a\nc"#)], [.once(.post("a\nb"))], missing: ["1: 0 of 1"],
      near: [#"entry 1: content was 'a\nc', expected 'a\nb'"#]),
    .init(
      "the wrong status", [.signIn(status: 200)],
      [.once(JournalFilter { ($0.operation, $0.status, $0.code) = ("signIn", "400", "E05") })], missing: ["1: 0 of 1"],
      near: ["entry 1: status was 200, expected 400; code was absent, expected 'E05'"]),
    .init(
      "another code", [.signIn(status: 419)],
      [.once(JournalFilter { ($0.operation, $0.code) = ("signIn", "E03") })], missing: ["1: 0 of 1"],
      near: ["entry 1: code was 'E05', expected 'E03'"]),
    .init(
      "another person", [.post("Hi", by: "joon")], [.once(.post.having { $0.account = "mina@example.com" })],
      missing: ["1: 0 of 1"], near: ["entry 1: account was 'joon@example.com', expected 'mina@example.com'"]),
    .init(
      "a field deep in a body", [.post(json: #"{"content":"Hi","user":{"nick":"Mia","age":3}}"#)],
      [
        .once(
          .post.having { $0.body = .object(["user": .object(["nick": .text("Mina"), "age": .number(3)])]) })
      ],
      missing: ["1: 0 of 1"], near: ["entry 1: user.nick was 'Mia', expected 'Mina'"]),
    .init(
      "an element of a list, and a field that is not there", [.post(json: #"{"content":"Hi","files":["a.png"]}"#)],
      [.once(.post.having { $0.body = .object(["files": .list([.text("b.png")]), "size": .number(1)]) })],
      missing: ["1: 0 of 1"], near: ["entry 1: files[0] was 'a.png', expected 'b.png'; size was absent, expected 1"]),
    .init(
      "an event of another room", [.event("Hi", in: "3")],
      [.once(.chatEvent.having { $0.namespace = "/ws-channel-2" })], missing: ["1: 0 of 1"],
      near: ["entry 1: namespace was '/ws-channel-3', expected '/ws-channel-2'"]),
    .init(
      "a notification for another person", [.push(to: "mina")], [.once(.push(to: "sora"))], missing: ["1: 0 of 1"],
      near: ["entry 1: account was 'mina@example.com', expected 'sora@example.com'"]),
    .init(
      "an entry that counts is no near miss", [.post("Hello")], [.once(.post("Hello")), .once(.post("Hallo"))],
      missing: ["2: 0 of 1"]),
    .init(
      "each near miss is of one item", [.post("Helo"), .post("By")], [.once(.post("Hello")), .once(.post("Bye"))],
      missing: ["1: 0 of 1", "2: 0 of 1"],
      near: ["entry 1: content was 'Helo', expected 'Hello'", "entry 2: content was 'By', expected 'Bye'"]),
    .init("a call of another kind is no near miss", [.history, .leave], [.once(.post)], missing: ["1: 0 of 1"]),
  ]

  /// Times between entries.
  private static let spacings: [JudgedJournal] = [
    .init(
      "again after a second, at most three times",
      [Came.post("a").at(0), Came.post("a").at(1.5), Came.post("a").at(3)],
      [.spaced(.times(1...3, .post), atLeast: .seconds(1))]),
    .init(
      "again too soon", [Came.post("a").at(0), Came.post("a").at(0.2)],
      [.spaced(.times(1...3, .post), atLeast: .seconds(1))],
      spacing: ["1, 2"]),
    .init(
      "again too late", [Came.post("a").at(0), Came.post("a").at(1), Came.post("a").at(70)],
      [.spaced(.atLeast(1, .post), atMost: .seconds(60))], spacing: ["2, 3"]),
    .init(
      "other entries between do not count", [Came.post("a").at(0), Came.history.at(0.5), Came.post("a").at(1)],
      [.spaced(.times(2, .post), atLeast: .seconds(1), atMost: .seconds(2))]),
    .init(
      "the start counts for spacing, too", [Came.post("b").at(1.5), Came.post("a").at(0)],
      [.spaced(.times(2, .post), atLeast: .seconds(1))]),
    .init("one entry has no spacing", [.post("a")], [.spaced(.once(.post), atLeast: .seconds(1))]),
  ]
}
