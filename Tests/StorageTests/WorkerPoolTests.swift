import Foundation
import Storage
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5))) struct WorkerPoolTests {
  struct Refusal: Error {}

  @Test("values and errors are returned from the threads")
  func results() async throws {
    let pool = WorkerPool(name: "test", threads: 2, queueLimit: 100)
    #expect(try await pool.run { 6 * 7 } == 42)
    await #expect(throws: Refusal.self) { try await pool.run { throw Refusal() } }
    pool.shutdown()
    let error = await #expect(throws: StorageError.self) { try await pool.run {} }
    #expect(error?.code == .closed)
  }

  #if os(Linux)
    @Test("each thread has its name before it runs its body", arguments: 0..<50)
    func names(_ number: Int) async throws {
      let pool = WorkerPool(name: "n\(number)", threads: 1, queueLimit: 1)
      let name = try await pool.run { try String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8) }
      #expect(name == "n\(number)-0\n")
      pool.shutdown()
    }
  #endif

  @Test("a call that was cancelled while waiting makes room for another")
  func cancelledMakesRoom() async throws {
    let pool = WorkerPool(name: "test", threads: 1, queueLimit: 1)
    let gate = Gate()
    async let blocker: Void = pool.run { gate.wait() }
    await gate.entered()
    let waiting = Task { try await pool.run { 1 } }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    async let next = pool.run { 2 }
    gate.open()
    #expect(try await next == 2)
    try await blocker
  }

  @Test("callers take turns: one with many calls lets every other through after one of its own")
  func turns() async throws {
    let pool = WorkerPool(name: "test", threads: 1, queueLimit: 100, turnLimit: 10)
    let gate = Gate()
    let order = Log<String>()
    async let blocker: Void = pool.run { gate.wait() }
    await gate.entered()
    try await withThrowingTaskGroup { group in
      for index in 0..<10 {
        group.addTask { try await pool.run(turn: "many") { order.append("many \(index)") } }
      }
      while pool.waiting < 10 { await Task.yield() }
      // One more call of the same caller is too many.
      let error = await #expect(throws: StorageError.self) { try await pool.run(turn: "many") {} }
      #expect(error?.code == .overloaded)
      group.addTask { try await pool.run(turn: "few") { order.append("few") } }
      while pool.waiting < 11 { await Task.yield() }
      gate.open()
      try await group.waitForAll()
    }
    try await blocker
    #expect(order.all.firstIndex(of: "few") == 1)
  }

  @Test("when the queue is full, the caller with the most calls loses one to a caller with fewer")
  func displacement() async throws {
    let pool = WorkerPool(name: "test", threads: 1, queueLimit: 4, turnLimit: 4)
    let gate = Gate()
    async let blocker: Void = pool.run { gate.wait() }
    await gate.entered()
    try await withThrowingTaskGroup(of: String.self) { group in
      for index in 0..<4 {
        group.addTask {
          do {
            try await pool.run(turn: "many") {}
            return "many"
          } catch let error as StorageError where error.code == .overloaded {
            return "displaced"
          }
        }
        while pool.waiting <= index { await Task.yield() }
      }
      group.addTask { try await pool.run(turn: "few") { "few" } }
      #expect(try await group.next() == "displaced")
      gate.open()
      var others: [String] = []
      for try await outcome in group { others.append(outcome) }
      #expect(others.sorted() == ["few", "many", "many", "many"])
    }
    try await blocker
  }

  @Test("a caller never has all threads: another's call begins at once, and its own continue when a thread is free")
  func share() async throws {
    let pool = WorkerPool(name: "test", threads: 3, queueLimit: 100, turnThreads: 2)
    let (gate, order) = (Gate(), Log<String>())
    try await withThrowingTaskGroup { group in
      for _ in 0..<4 {
        group.addTask {
          try await pool.run(turn: "many") {
            order.append("many")
            gate.wait()
          }
        }
      }
      while order.all.count < 2 || pool.waiting != 2 { await Task.yield() }
      try await pool.run(turn: "few") { order.append("few") }
      #expect(order.all == ["many", "many", "few"] && pool.waiting == 2)
      for _ in 0..<4 { gate.open() }
      try await group.waitForAll()
    }
    #expect(order.all.count == 5)
    // Waiting calls are still run when a pool is closed.
    let last = Gate()
    async let first: Void = pool.run(turn: "many") { last.wait() }
    await last.entered()
    pool.shutdown()
    last.open()
    try await first
  }

  @Test("while other callers are present, a caller has one thread less")
  func others() async throws {
    let pool = WorkerPool(name: "test", threads: 3, queueLimit: 100, turnThreads: 2)
    let (gate, order) = (Gate(), Log<Int>())
    try await pool.run(turn: "few") {}
    try await withThrowingTaskGroup { group in
      for number in 0..<3 {
        group.addTask {
          try await pool.run(turn: "many") {
            order.append(number)
            gate.wait()
          }
        }
      }
      // A caller is present for 5 s after a call.
      while order.all.count < 1 || pool.waiting != 2 { try await pool.run(turn: "few") {} }
      try await pool.run(turn: "few") {}
      #expect(order.all.count == 1 && pool.waiting == 2)
      for _ in 0..<3 { gate.open() }
      try await group.waitForAll()
    }
  }

  #if os(Linux)
    @Test("threads that yield have a lower priority than others")
    func priority() async throws {
      func niceness(isYielding: Bool) async throws -> CInt {
        let pool = WorkerPool(name: "test", threads: 1, queueLimit: 1, isYielding: isYielding)
        return try await pool.run { getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0) }
      }
      let usual = try await niceness(isYielding: false)
      #expect(try await niceness(isYielding: true) == min(19, usual + 5))
    }
  #endif
}
