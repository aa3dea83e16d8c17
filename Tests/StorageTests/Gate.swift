import Foundation
import Storage
import Support
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

extension SQL {
  /// A statement that does not end in the time of a test.
  static func endless(_ engine: TestEngine) -> SQL {
    switch engine {
    case .postgres: "SELECT pg_sleep(3600)"
    case .sqlite:
      """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000000000000) SELECT count(*) FROM n
      """
    }
  }
}

/// The error of a call; nil when it succeeds.
func failure(of body: () async throws -> Void) async -> (any Error)? {
  do {
    try await body()
    return nil
  } catch { return error }
}
