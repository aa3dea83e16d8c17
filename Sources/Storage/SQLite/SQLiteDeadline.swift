import CSQLite

/// Interrupts a statement that takes longer than the limit. It must outlive its connection.
final class SQLiteDeadline {
  private let limit: Duration
  private var end: ContinuousClock.Instant?

  init(limit: Duration) {
    self.limit = limit
  }

  func watch(_ database: OpaquePointer) {
    // Ten thousand instructions take well under a millisecond, and the cost of the check is not measurable.
    sqlite3_progress_handler(
      database, 10_000,
      { context in
        guard let context else { return 0 }
        let deadline = Unmanaged<SQLiteDeadline>.fromOpaque(context).takeUnretainedValue()
        guard let end = deadline.end else { return 0 }
        return ContinuousClock.now > end ? 1 : 0
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  func start() {
    end = limit > .zero ? .now + limit : nil
  }

  func suspend() {
    end = nil
  }
}
