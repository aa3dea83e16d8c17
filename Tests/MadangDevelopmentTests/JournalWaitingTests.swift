import Foundation
import MadangCore
import MadangServer
import Support
import Synchronization
import Testing

@testable import MadangDevelopment

@Suite("Journal: waiting and limits", .timeLimit(.minutes(5)))
struct JournalWaitingTests {
  @Test("a waiting call is answered as soon as enough entries have come")
  func waiting() async throws {
    try await FaultScene.run { (scene) async throws in
      let after = try await scene.journal().last
      let began = ContinuousClock.now
      async let waiting = scene.journal("operation=postToChannel&count=3&wait=60s&after=\(after)")
      for number in 1...3 { _ = try await scene.mina.say("\(number)", in: scene.room) }
      let page = try await waiting
      #expect(page.complete && page.entries.count == 3)
      #expect(ContinuousClock.now - began < .seconds(30))
      // It is there already, so nothing is waited for.
      #expect(try await scene.journal("operation=postToChannel&count=3&wait=60s").complete)
    }
  }

  @Test("a waiting call is answered at its time-out with the entries so far")
  func vain() async throws {
    try await FaultScene.run { (scene) async throws in
      _ = try await scene.mina.say("one", in: scene.room)
      let began = ContinuousClock.now
      let page = try await scene.journal("operation=postToChannel&count=2&wait=300ms")
      #expect(!page.complete && page.entries.count == 1)
      #expect(ContinuousClock.now - began >= .milliseconds(300))
    }
  }

  private func journal(_ set: (inout Journal.Limits) -> Void) -> Journal {
    var limits = Journal.Limits()
    set(&limits)
    return Journal(clock: Clock(), limits: limits)
  }

  private func payment(_ id: String) -> RawContent {
    .payment(.init(event: .recorded, id: id, merchantID: "m", amount: 1, account: nil, code: nil))
  }

  @Test("entries are kept up to the limit, and an answer has the number of the first one")
  func entries() async throws {
    let journal = journal { $0.entries = 10 }
    for number in 1...25 { journal.append(payment("\(number)")) }
    let page = try await journal.page(matching: JournalFilter())
    #expect(page.from == 16 && page.last == 25 && page.entries.map(\.number) == Array(16...25))
    #expect(try await journal.page(matching: JournalFilter(), after: 23).entries.map(\.payment) == ["24", "25"])
    let some = try await journal.page(matching: JournalFilter(), limit: 3)
    #expect(some.entries.map(\.number) == [16, 17, 18] && some.last == 18)
  }

  @Test("an answer examines no more of the journal than it needs, and a filter finds rare entries in all of it")
  func portions() async throws {
    let journal = journal { _ in }
    for number in 1...2000 { journal.append(payment(number.isMultiple(of: 900) ? "rare" : "\(number)")) }
    let first = journal.entries(after: 0, most: 512)
    #expect(first.entries.count == 512 && first.last == 512 && !first.isNewest)
    #expect(journal.entries(after: 1488, most: 512).isNewest && journal.entries(after: 2000, most: 512).isNewest)
    let page = try await journal.page(matching: JournalFilter(), after: 100, limit: 250)
    #expect(page.last == 350 && page.complete && page.entries.count == 250)
    let all = try await journal.page(matching: JournalFilter(), limit: 5000)
    #expect(all.last == 2000 && all.entries.map(\.number) == Array(1...2000))
    // Waiting for one entry answers with all that are there.
    let waited = try await journal.page(matching: JournalFilter(), limit: 5000, count: 1, wait: .seconds(60))
    #expect(waited.last == 2000 && waited.entries.count == 2000)
    let none = try await journal.page(matching: JournalFilter(), after: 2000, count: 1)
    #expect(none.last == 2000 && !none.complete)
  }

  @Test("dropped entries are not taken for missing ones, and numbers of another journal are refused")
  func forgotten() async throws {
    let journal = journal { $0.entries = 10 }
    for number in 1...12 { journal.append(payment("\(number)")) }
    var never = Expectation([.init(JournalFilter { $0.event = "refused" }, times: .init(max: 0))])
    let blind = try await journal.outcome(of: never)
    #expect(!blind.met && blind.differences.first?.contains("entries up to 2 were dropped") ?? false, "\(blind)")
    never.after = 2
    #expect(try await journal.outcome(of: never).met)
    let least = Expectation([.init(JournalFilter { $0.event = "recorded" }, times: .init(min: 1))])
    #expect(try await journal.outcome(of: least).met)
    never.after = 13
    await #expect(throws: BadCall.self) { try await journal.outcome(of: never) }
    await #expect(throws: BadCall.self) { try await journal.page(matching: JournalFilter(), after: 13) }
  }

  @Test("packets cannot be expected while they are not recorded")
  func unrecorded() async throws {
    let journal = journal { _ in }
    journal.recordsPackets = false
    let expectation = Expectation([
      .init(
        JournalFilter {
          $0.event = "channel"
          $0.direction = "toClient"
        })
    ])
    let error = await #expect(throws: BadCall.self) { try await journal.outcome(of: expectation) }
    #expect(error?.error.contains("packets are not recorded") ?? false)
  }

  @Test("a handshake's query and a payment's texts count for the limit of bytes")
  func counted() async throws {
    let journal = journal { $0.bytes = 100_000 }
    for _ in 1...20 { journal.append(payment(String(repeating: "x", count: 20_000))) }
    #expect(try await journal.page(matching: JournalFilter()).entries.count == 4)
  }

  @Test("entries are kept up to the limit of bytes")
  func bytes() async throws {
    let journal = journal { $0.bytes = 100_000 }
    let payload = Array(repeating: UInt8(ascii: "x"), count: 9000)
    for _ in 1...50 {
      journal.append(
        .push(.init(account: 1, deviceToken: "t", edition: "2024-10", payload: payload), .init(number: 1, era: 0)))
    }
    let kept = try await journal.page(matching: JournalFilter()).entries.count
    #expect(kept == 10)
    #expect(journal.state.withLock { $0.bytes } <= 100_000)
  }

  @Test("many parallel waiters each get all entries of many parallel writers, in order")
  func crowd() async throws {
    let journal = journal { $0.entries = 100_000 }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<20 {
        group.addTask {
          let page = try await journal.page(matching: JournalFilter(), limit: 2000, count: 2000, wait: .seconds(60))
          // In the order of their starts, which may differ from that of their numbers.
          let starts = page.entries.map(\.elapsed)
          #expect(page.complete && page.entries.count == 2000 && starts == starts.sorted())
          #expect(Set(page.entries.map(\.number)) == Set(1...2000))
        }
      }
      for _ in 0..<4 {
        group.addTask { for number in 1...500 { journal.append(payment("\(number)")) } }
      }
      try await group.waitForAll()
    }
    #expect(!journal.arrivals.isAwaited)
  }

  @Test("a waiter that gives up leaves nothing behind")
  func cancelled() async throws {
    let journal = journal { _ in }
    let waiting = Task { try await journal.page(matching: JournalFilter(), wait: .seconds(60)) }
    #expect(try await Support.World.eventually { journal.arrivals.isAwaited })
    waiting.cancel()
    #expect(try await waiting.value.complete == false)
    #expect(!journal.arrivals.isAwaited)
  }
}
