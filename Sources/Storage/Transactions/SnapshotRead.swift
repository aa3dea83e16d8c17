/// A read sees one snapshot, however many statements it runs. Waiting reads share a snapshot that is taken after all of them were
/// requested.
enum SnapshotRead {
  /// Delivers the result of each read as soon as it is done. Throws when the connection has failed; reads with a result do not run again.
  static func run(_ batch: [PendingWork], on connection: any Connection) throws(StorageError) {
    defer { connection.discard() }
    // A PostgreSQL connection shows the effect of ROLLBACK only after the server has answered it; so this variable keeps track.
    var isBegun = false
    for work in batch {
      if !isBegun {
        do throws(EngineFailure) { try connection.begin(.read) } catch { throw error.cause }
        isBegun = true
      }
      let attempt = work.attempt(on: connection)
      switch attempt.result {
      case .success(let deliver): deliver()
      case .failure(let error):
        if let failure = attempt.failure, failure.endsBatch { throw failure }
        // PostgreSQL accepts no more statements in a transaction after one has failed.
        if attempt.failure != nil {
          connection.discard()
          isBegun = false
        }
        work.fail(error)
      }
    }
  }
}
