import Dispatch
import MadangCore
import Storage
import Support
import Testing

@testable import MadangOperations
@testable import MadangServer

@Suite("Password hashing threads")
struct HashingThreadsTests {
  @Test("passwords of one address that wait to be hashed are limited by `limits.hashing`", .timeLimit(.minutes(5)))
  func limit() async throws {
    var settings = World.settings
    (settings.hashingThreads, settings.limits.hashing) = (1, 2)
    try await World.run(.sqlite, settings: settings) { (world) async throws in
      let hashing = world.server.madang.hashing
      let (begun, gate) = (AsyncStream<Void>.makeStream(), DispatchSemaphore(value: 0))
      try await withThrowingTaskGroup { group in
        group.addTask {
          try await hashing.run(turn: "many") {
            begun.continuation.yield()
            gate.wait()
          }
        }
        _ = await begun.stream.first { true }
        for (number, turn) in ["many", "many", "few"].enumerated() {
          group.addTask { try await hashing.run(turn: turn) {} }
          while hashing.waiting <= number { await Task.yield() }
        }
        let error = await #expect(throws: StorageError.self) { try await hashing.run(turn: "many") {} }
        #expect(error?.code == .overloaded)
        gate.signal()
        try await group.waitForAll()
      }
    }
  }

  @Test("numbers of threads and connections follow the settings, else the defaults' bounds")
  func counts() {
    var settings = ServerSettings()
    #expect((1...3).contains(settings.hashingThreadCount) && (2...8).contains(settings.databaseReaderCount))
    (settings.hashingThreads, settings.database.readers) = (7, 11)
    #expect(settings.hashingThreadCount == 7 && settings.databaseReaderCount == 11)
  }
}
