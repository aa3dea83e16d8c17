/// A read sees one snapshot, however many statements it runs. Reads that wait together share it: it is not older than any of them.
enum SnapshotRead {
  /// Answers each read as soon as it is done. Throws when the connection is of no use any more; those that were answered are not run again.
  static func run(_ batch: [PendingWork], on connection: any Connection) throws(StorageError) {
    defer { connection.discard() }
    // A connection to PostgreSQL does not know of its own ROLLBACK until it is answered.
    var isBegun = false
    for work in batch {
      if !isBegun {
        do throws(EngineFailure) { try connection.begin(.read) } catch { throw error.cause }
        isBegun = true
      }
      switch work.attempt(on: connection) {
      case .done(let deliver, _): deliver()
      case .failed(let error, let cause):
        if let cause, cause.endsBatch { throw cause }
        // PostgreSQL takes no more statements in a transaction in which one has failed.
        if cause != nil {
          connection.discard()
          isBegun = false
        }
        work.fail(error)
      }
    }
  }
}
