import Synchronization

/// What an application remembers with one socket, for all threads.
///
/// The application's code runs when it changes something, and when a value that nobody keeps any more ends. Neither happens under a
/// lock that reading takes: changes are made to a copy, and what they remove ends after all locks are free.
struct SocketMemory: ~Copyable, Sendable {
  /// Its lock is held for a moment only: nothing is called meanwhile.
  private let values: Mutex<SocketData>
  /// Held by whoever changes the values, so that no change overwrites another.
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
