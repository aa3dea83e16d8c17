import Foundation
import MadangCore
import NIOHTTP1
import Support
import Synchronization
import Testing

@testable import MadangDevelopment

@Suite("Reading seeds and scripts", .timeLimit(.minutes(5)))
struct DocumentsTests {
  @Test("documents are read one at a time, a limited number waits, and a call that has left ends its reading")
  func queue() async throws {
    let documents = Documents(limit: 1)
    let began = Flag()
    let first = Task {
      try await documents.read { isCancelled in
        began.set()
        while !isCancelled() { Thread.sleep(forTimeInterval: 0.001) }
        throw SeedError.cancelled
      }
    }
    await until { began.isSet }
    let second = Task { try await documents.read { _ in began.isSet } }
    await until { documents.waiting == 1 }
    let error = await #expect(throws: BadCall.self) { try await documents.read { _ in 1 } }
    #expect(error?.error.contains("too many seeds and scripts") == true)
    first.cancel()
    await #expect(throws: SeedError.cancelled) { try await first.value }
    #expect(try await second.value)
  }

  @Test("long documents of calls under way have a limited number of bytes in all, and short ones pass")
  func bytes() async throws {
    let documents = Documents(maxBytes: 10 << 20)
    try await documents.holding(6 << 20) { () async throws in
      let error = await #expect(throws: BadCall.self) { try await documents.holding(5 << 20) { 1 } }
      #expect(error?.error.contains("too many seeds and scripts") == true)
      #expect(try await documents.holding(4 << 20) { 2 } == 2)
      #expect(try await documents.holding(1 << 20) { 3 } == 3)
    }
    #expect(try await documents.holding(10 << 20) { 4 } == 4)
    await #expect(throws: BadCall.self) { try await documents.holding(11 << 20) { 5 } }
  }

  @Test("the seed of a call is read on the thread of documents")
  func calls() async throws {
    try await WorldCallsTests.run { dev in
      let ends = Flag()
      let begun = Flag()
      // The thread serves other tests too.
      defer { ends.set() }
      let blocking = Task {
        try await Documents.shared.read { _ in
          begun.set()
          while !ends.isSet { Thread.sleep(forTimeInterval: 0.001) }
        }
      }
      await until { begun.isSet }
      let seed = Task { try await dev.call(.POST, "/_dev/worlds", #"{"seed":{"people":[{"email":"a@b.co"}]}}"#).status }
      await until { Documents.shared.waiting > 0 }
      // Other calls are answered meanwhile.
      #expect(try await dev.call(.GET, "/_dev/worlds").status == 200)
      ends.set()
      _ = try await blocking.value
      #expect(try await seed.value == 200)
    }
  }
}

private final class Flag: Sendable {
  private let value = Mutex(false)

  var isSet: Bool { value.withLock(\.self) }

  func set() { value.withLock { $0 = true } }
}
