import DequeModule
import Foundation

/// A bounded queue from tasks to threads: putting never waits, taking does.
///
/// `@unchecked Sendable`: mutable state is accessed only while `lock` is held.
final class BlockingQueue<Element: Sendable>: @unchecked Sendable {
  private let lock = NSCondition()
  private var elements = Deque<Element>()
  private var isClosed = false
  private var busySince: ContinuousClock.Instant?
  /// Threads that wait in ``take(upTo:takers:)``.
  private var sleepers = 0
  /// Threads that have promised to wake sleepers soon.
  private var wakers: [pthread_t] = []
  private let limit: Int
  private let busyLimit: Duration
  private let isAbandoned: @Sendable (Element) -> Bool
  private let gather: WakeUpGathering?

  /// - Parameters:
  ///   - busyLimit: How long the taking thread may be busy before new elements are refused.
  ///   - gather: How waiting threads are woken; nil wakes them at once.
  ///   - isAbandoned: Whether no caller waits for an element any longer. Such elements do not count against the limit.
  init(
    limit: Int, busyLimit: Duration, gather: WakeUpGathering? = nil,
    isAbandoned: @escaping @Sendable (Element) -> Bool
  ) {
    self.limit = limit
    self.busyLimit = busyLimit
    self.gather = gather
    self.isAbandoned = isAbandoned
  }

  func put(_ element: Element) throws(StorageError) {
    guard try append(element) else { return }
    let thread = pthread_self()
    guard let gather else { return wake(for: thread) }
    gather { self.wake(for: thread) }
  }

  /// Adds an element. Returns whether the calling thread must wake sleepers.
  private func append(_ element: Element) throws(StorageError) -> Bool {
    lock.lock()
    defer { lock.unlock() }
    guard !isClosed else { throw StorageError(.closed, "closed") }
    if let busySince, case let duration = .now - busySince, duration > busyLimit {
      throw StorageError(.connectionLost, "a write that was begun \(duration.milliseconds) ms ago is still under way")
    }
    if elements.count >= limit { elements.removeAll(where: isAbandoned) }
    guard elements.count < limit else { throw StorageError(.overloaded, "more than \(limit) operations are waiting") }
    elements.append(element)
    // A thread that is awake looks for elements before it sleeps.
    guard sleepers > 0, case let thread = pthread_self(), !wakers.contains(thread) else { return false }
    wakers.append(thread)
    return true
  }

  private func wake(for thread: pthread_t) {
    let count = lock.withLock {
      wakers.removeAll { $0 == thread }
      return min(elements.count, sleepers)
    }
    // Signals without the lock: a thread that wakes while it is held would wait for it at once.
    for _ in 0..<count { lock.signal() }
  }

  /// How many elements wait.
  var count: Int { lock.withLock { elements.count } }

  /// Waits for elements and takes up to `count` of them. Nil when closed and empty.
  /// - Parameter takers: The number of taking threads; each leaves the others their share.
  func take(upTo count: Int, takers: Int = 1) -> [Element]? {
    lock.lock()
    defer { lock.unlock() }
    while elements.isEmpty {
      if isClosed { return nil }
      sleepers += 1
      lock.wait()
      sleepers -= 1
    }
    let share = (elements.count + takers - 1) / max(1, takers)
    let taken = Array(elements.prefix(min(count, share)))
    elements.removeFirst(taken.count)
    return taken
  }

  /// Removes and returns the elements that match the condition.
  func remove(where condition: (Element) -> Bool) -> [Element] {
    lock.lock()
    defer { lock.unlock() }
    let taken = Array(elements.filter(condition))
    if !taken.isEmpty { elements.removeAll(where: condition) }
    return taken
  }

  /// Marks the taking thread as busy, unless it already is.
  func beginWork() {
    lock.lock()
    defer { lock.unlock() }
    if busySince == nil { busySince = .now }
  }

  func endWork() {
    lock.lock()
    defer { lock.unlock() }
    busySince = nil
  }

  /// Sleeps for the duration, or until shortly after the queue is closed.
  func sleep(for duration: Duration) {
    let end = ContinuousClock.now + duration
    // In short steps, because conditions wait by the system's clock, which may be set back.
    while !hasClosed, case let left = ContinuousClock.now.duration(to: end), left > .zero {
      usleep(UInt32(min(left, .milliseconds(20)).milliseconds + 1) * 1000)
    }
  }

  /// Refuses new elements. Waiting elements can still be taken.
  func close() {
    lock.lock()
    isClosed = true
    lock.broadcast()
    lock.unlock()
  }

  var hasClosed: Bool {
    lock.lock()
    defer { lock.unlock() }
    return isClosed
  }
}
