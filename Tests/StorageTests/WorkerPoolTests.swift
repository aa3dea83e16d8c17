import Storage
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1))) struct WorkerPoolTests {
  struct Refusal: Error {}

  @Test("values and errors come back from the threads")
  func results() async throws {
    let pool = WorkerPool(name: "test", threads: 2, queueLimit: 100)
    #expect(try await pool.run { 6 * 7 } == 42)
    await #expect(throws: Refusal.self) { try await pool.run { throw Refusal() } }
    pool.shutdown()
    let error = await #expect(throws: StorageError.self) { try await pool.run {} }
    #expect(error?.code == .closed)
  }

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
    let order = Order()
    async let blocker: Void = pool.run { gate.wait() }
    await gate.entered()
    try await withThrowingTaskGroup { group in
      for index in 0..<10 {
        group.addTask { try await pool.run(turn: "many") { order.add("many \(index)") } }
      }
      while pool.waiting < 10 { await Task.yield() }
      // One more of the same caller is too much.
      let error = await #expect(throws: StorageError.self) { try await pool.run(turn: "many") {} }
      #expect(error?.code == .overloaded)
      group.addTask { try await pool.run(turn: "few") { order.add("few") } }
      while pool.waiting < 11 { await Task.yield() }
      gate.open()
      try await group.waitForAll()
    }
    try await blocker
    #expect(order.all.firstIndex(of: "few") == 1)
  }
}

private final class Order: Sendable {
  private let names = Mutex<[String]>([])

  var all: [String] { names.withLock(\.self) }

  func add(_ name: String) { names.withLock { $0.append(name) } }
}
