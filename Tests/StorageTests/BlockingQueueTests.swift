import Foundation
import Synchronization
import Testing

@testable import Storage

@Suite("The queue from tasks to threads", .timeLimit(.minutes(5)))
struct BlockingQueueTests {
  /// Wake-ups that are kept until they are run.
  private final class WakeUps: Sendable {
    private let kept = Mutex<[@Sendable () -> Void]>([])

    var count: Int { kept.withLock(\.count) }
    func keep(_ wake: @escaping @Sendable () -> Void) { kept.withLock { $0.append(wake) } }
    func forget() { kept.withLock { $0 = [] } }

    func run() {
      let all = kept.withLock { kept in
        defer { kept = [] }
        return kept
      }
      for wake in all { wake() }
    }
  }

  /// A queue, and a thread that takes from it.
  private struct Bench {
    let wakeUps = WakeUps()
    let queue: BlockingQueue<Int>
    private var batches: AsyncStream<[Int]>.Iterator

    init() {
      let taken = AsyncStream<[Int]>.makeStream()
      let queue = BlockingQueue<Int>(limit: 100, busyLimit: .seconds(10), gather: wakeUps.keep) { _ in false }
      _ = DedicatedThread(name: "taker") {
        while let batch = queue.take(upTo: 100) { taken.continuation.yield(batch) }
        taken.continuation.finish()
      }
      (self.queue, batches) = (queue, taken.stream.makeAsyncIterator())
    }

    /// Puts a number while the thread sleeps; before that, no wake-up is needed.
    mutating func putWhileItSleeps(_ number: Int) async throws {
      try queue.put(number)
      while wakeUps.count == 0 {
        _ = await batches.next()
        try queue.put(number)
      }
    }

    mutating func nextBatch() async -> [Int]? { await batches.next() }
  }

  @Test("elements that one thread puts before it wakes the taker are taken together, for one wake-up")
  func gathered() async throws {
    var bench = Bench()
    try await bench.putWhileItSleeps(1)
    // On one thread, because a test may continue on another one after an await.
    let before = bench.wakeUps.count
    try putTwo(bench.queue)
    #expect(bench.wakeUps.count <= before + 1)
    bench.wakeUps.run()
    #expect(await bench.nextBatch() == [1, 2, 3])
    bench.queue.close()
  }

  private func putTwo(_ queue: BlockingQueue<Int>) throws {
    try queue.put(2)
    try queue.put(3)
  }

  @Test("an element that another thread puts does not wait for the wake-up of the first one")
  func otherThread() async throws {
    var bench = Bench()
    try await bench.putWhileItSleeps(1)
    bench.wakeUps.forget()
    await withCheckedContinuation { continuation in
      _ = DedicatedThread(name: "other") { [queue = bench.queue] in
        try? queue.put(2)
        continuation.resume()
      }
    }
    bench.wakeUps.run()
    #expect(await bench.nextBatch() == [1, 2])
    bench.queue.close()
  }
}
