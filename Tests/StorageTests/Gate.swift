import Foundation
import Synchronization

/// Holds a body on its thread until the test opens it.
final class Gate: Sendable {
  private let released = DispatchSemaphore(value: 0)
  private let arrival = AsyncStream<Void>.makeStream()

  func wait() {
    arrival.continuation.finish()
    released.wait()
  }

  func entered() async {
    for await _ in arrival.stream {}
  }

  func open() {
    released.signal()
  }
}

/// Entries in order, added from any thread.
final class Log<Entry: Sendable>: Sendable {
  private let entries = Mutex<[Entry]>([])

  func append(_ entry: Entry) {
    entries.withLock { $0.append(entry) }
  }

  var all: [Entry] { entries.withLock { $0 } }
}

/// The error of a call; nil when it succeeds.
func failure(of body: () async throws -> Void) async -> (any Error)? {
  do {
    try await body()
    return nil
  } catch { return error }
}
