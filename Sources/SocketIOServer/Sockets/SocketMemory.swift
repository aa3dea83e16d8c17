import Synchronization

/// An application's data of one socket, for all threads.
///
/// Application code runs during a change, and when a value is released. Neither happens under a lock that readers take: changes are made to
/// a copy, and removed values are released after all locks.
struct SocketMemory: ~Copyable, Sendable {
  /// This lock is held only briefly, without calling any code.
  private let values: Mutex<SocketData>
  /// Held during a change, so that no change overwrites another.
  private let turn = Mutex(())

  init(_ data: SocketData) { values = Mutex(data) }

  var data: SocketData { values.withLock { $0 } }

  func change<Result: Sendable, Failure: Error>(
    _ body: (inout SocketData) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var former = SocketData()
    defer { withExtendedLifetime(former) {} }
    return try turn.withLock { _ throws(Failure) -> Result in
      former = data
      var changed = former
      defer { values.withLock { $0 = changed } }
      return try body(&changed)
    }
  }
}
