import Storage
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
}
