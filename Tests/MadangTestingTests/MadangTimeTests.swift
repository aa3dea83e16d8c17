import Foundation
import MadangClient
import MadangTesting
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("MadangTesting: lengths of time", .madang(seed: .courtyard, number: 7), .timeLimit(.minutes(5)))
struct MadangTimeTests {
  private let world = Madang.world
  private static let notations = "500ms, 5s, 10m, 25h or 30d"

  /// The message of the ``MadangTestingError`` that `body` throws.
  private func refusal(_ body: () async throws -> Void) async -> String {
    let error = await #expect(throws: MadangTestingError.self) { try await body() }
    return error?.description ?? ""
  }

  @Test("B13: the clock advances by text such as 25h and by a number of seconds")
  func advances() throws {
    let start = world.clock.now
    var advanced: Double { world.clock.now.timeIntervalSince(start) }
    try world.clock.advance(by: "25h")
    #expect(advanced == 90_000)
    world.clock.advance(by: .seconds(90))
    world.clock.advance(by: .seconds(1.5))
    #expect(advanced == 90_091.5)
    for text in ["500ms", "1.5s", "10m", "30d", "2w", "0"] { try world.clock.advance(by: text) }
    // 44 days and 602 seconds more.
    #expect(advanced == 3_892_293.5)
  }

  @Test(
    "B45: a duration in a wrong notation is an error that names the right ones",
    arguments: ["25 hours", "", "1e3s", "-5s", "٣s", "2h3m", "9223372036854775808", String(repeating: "1", count: 999)])
  func wrong(_ text: String) async throws {
    let now = world.clock.now
    let time = MadangTime(text)
    let expected = MadangExpected.once(.operation("me"))
    let people = try await world.people()
    for words in [
      await refusal { try world.clock.advance(by: text) },
      await refusal { try await world.restart(downFor: text) },
      await refusal { try await world.faults.restart(downFor: text) },
      await refusal { try await world.reset(within: time) },
      await refusal { try await world.restore("none", within: time) },
      await refusal { try await world.journal.wait(for: .all, within: time) },
      await refusal { try await world.expect([expected], within: time) },
      await refusal { try await world.expect([expected], settling: time) },
      await refusal { try await world.expect([expected.spaced(atLeast: time)], within: .zero) },
      await refusal { try await world.expect([expected.spaced(atMost: time)], within: .zero) },
      await refusal { try await world.scripts.finished("none", within: time) },
      await refusal { try await world.scripts.ran("none", 1, within: time) },
      await refusal { try await world.faults.add(.latency(time)) },
      await refusal { try await world.faults.add(.latency("1s", jitter: time)) },
      await refusal { try await world.faults.add(.drip(bytes: 1, every: time)) },
      await refusal { try await world.faults.add(.restart(downFor: time)) },
      await refusal { try await world.faults.add(.delay(time)) },
      await refusal { try await world.faults.add(.delay("1s", jitter: time)) },
      await refusal { try await world.faults.add(.reorder(within: time)) },
    ] {
      #expect(words.contains(Self.notations) && words.contains("'\(text.prefix(200))"), "\(words)")
    }
    #expect(world.clock.now == now && world.faults.rules.isEmpty)
    #expect(try await world.people() == people)
  }

  @Test("a time beyond the limit is an error that names the limit if it is text, and is shortened if it is a duration")
  func limits() async throws {
    for words in [
      await refusal { try await world.restart(downFor: "61s") },
      await refusal { try await world.reset(within: "61s") },
      await refusal { try await world.journal.wait(for: .all, within: "61s") },
      await refusal { try await world.expect([.once(.all)], within: "2m") },
    ] {
      #expect(words.hasSuffix("at most 1m"), "\(words)")
    }
    #expect(await refusal { try await world.faults.add(.latency("11m")) } == "effect.milliseconds: 0 to 600000")
    try await world.reset(within: .seconds(1000))
  }

  @Test("waits, faults and spacings take text as well as durations")
  func notations() async throws {
    let mina = try await world.signIn("mina@example.com")
    try await world.faults.add(.latency("100ms", jitter: .zero), operation: "me", times: 1)
    _ = try await mina.me()
    let slow = try #require(try await world.journal.wait(for: .operation("me"), within: "30s").first)
    #expect(try #require(slow.duration) >= .milliseconds(100))
    _ = try await mina.me()
    try await world.expect(
      [.times(2, .operation("me")).spaced(atLeast: "100ms", atMost: .seconds(60))], within: "30s", settling: "\(1)ms")
    let patience: Duration = .milliseconds(1)
    let words = await refusal { try await world.journal.wait(for: .operation("signOut"), within: MadangTime(patience)) }
    #expect(words.hasPrefix("came 0 of 1 times within 0.001 seconds"), "\(words)")
    try await mina.close()
  }

  @Test("a restart takes text: connections are refused until it is over")
  func restart() async throws {
    try await world.restart(downFor: "60s")
    let url = try #require(URL(string: "\(world.url)/livez"))
    await #expect(throws: (any Error).self) { _ = try await URLSession.shared.data(from: url) }
    try await world.faults.restart(downFor: "0")
    #expect(try await world.journal.entries(.all).isEmpty)
    let (_, response) = try await URLSession.shared.data(from: url)
    #expect((response as? HTTPURLResponse)?.statusCode == 200)
  }
}
