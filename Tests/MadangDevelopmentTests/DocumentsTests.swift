import Foundation
import MadangCore
import Support
import Synchronization
import Testing

@testable import MadangDevelopment

@Suite("Reading seeds and scripts", .timeLimit(.minutes(1)))
struct DocumentsTests {
  @Test("documents are read one at a time, a limited number waits, and a call that has left ends its reading")
  func queue() async throws {
    let documents = Documents(limit: 1)
    let began = Mutex(false)
    let first = Task {
      try await documents.read { isCancelled in
        began.withLock { $0 = true }
        while !isCancelled() { Thread.sleep(forTimeInterval: 0.001) }
        throw SeedError.cancelled
      }
    }
    await until { began.withLock(\.self) }
    let second = Task { try await documents.read { _ in began.withLock(\.self) } }
    await until { documents.waiting == 1 }
    let error = await #expect(throws: BadCall.self) { try await documents.read { _ in 1 } }
    #expect(error?.error.contains("too many seeds and scripts") == true)
    first.cancel()
    await #expect(throws: SeedError.cancelled) { try await first.value }
    #expect(try await second.value)
  }

  @Test("the seed of a call is read on the thread of documents")
  func calls() async throws {
    try await WorldCallsTests.run { dev in
      let ends = Mutex(false)
      let begun = Mutex(false)
      // The thread serves other tests too.
      defer { ends.withLock { $0 = true } }
      let blocking = Task {
        try await Documents.shared.read { _ in
          begun.withLock { $0 = true }
          while !ends.withLock(\.self) { Thread.sleep(forTimeInterval: 0.001) }
        }
      }
      await until { begun.withLock(\.self) }
      let seed = Task { try await dev.call(.POST, "/_dev/worlds", #"{"seed":{"people":[{"email":"a@b.co"}]}}"#).status }
      await until { Documents.shared.waiting > 0 }
      // Other calls are answered meanwhile.
      #expect(try await dev.call(.GET, "/_dev/worlds").status == 200)
      ends.withLock { $0 = true }
      _ = try await blocking.value
      #expect(try await seed.value == 200)
    }
  }
}
