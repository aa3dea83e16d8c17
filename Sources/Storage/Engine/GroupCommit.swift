/// Many writes, one COMMIT.
enum GroupCommit {
  /// Answers what is left to do for each write, in order, when the transaction is durable.
  static func run(
    _ batch: [PendingWork], on connection: any Connection
  ) throws(BatchFailure) -> [@Sendable () -> Void] {
    var deliveries: [@Sendable () -> Void] = []
    deliveries.reserveCapacity(batch.count)
    var keeps = false
    do throws(EngineFailure) {
      // A savepoint costs two statements for each write. So they are set only after one of several writes has failed:
      // then all run again, each in its own, so that one may fail without the others.
      var usesSavepoints = false
      try connection.begin(.write)
      var next = 0
      while next < batch.count {
        let work = batch[next]
        if usesSavepoints { try connection.savepoint() }
        switch work.attempt(on: connection) {
        case .done(let deliver):
          if usesSavepoints { try connection.releaseSavepoint() }
          deliveries.append(deliver)
          keeps = true
        case .failed(let error, let cause):
          if let cause, cause.endsBatch || !connection.isInTransaction { throw EngineFailure(cause) }
          guard usesSavepoints || batch.count == 1 else {
            connection.discard()
            (deliveries, keeps, next, usesSavepoints) = ([], false, 0, true)
            try connection.begin(.write)
            continue
          }
          if usesSavepoints { try connection.rollBackToSavepoint() }
          deliveries.append { work.fail(error) }
        }
        next += 1
      }
    } catch {
      throw BatchFailure(error.cause)
    }
    guard keeps else {
      connection.discard()
      return deliveries
    }
    do throws(EngineFailure) {
      try connection.commit()
    } catch {
      throw BatchFailure(commit: error)
    }
    return deliveries
  }
}

/// A read sees one snapshot, however many statements it runs.
enum SnapshotRead {
  static func run(
    _ batch: [PendingWork], on connection: any Connection
  ) throws(BatchFailure) -> [@Sendable () -> Void] {
    var deliveries: [@Sendable () -> Void] = []
    for work in batch {
      do throws(EngineFailure) {
        try connection.begin(.read)
      } catch {
        throw BatchFailure(error.cause)
      }
      let attempt = work.attempt(on: connection)
      connection.discard()
      switch attempt {
      case .done(let deliver): deliveries.append(deliver)
      case .failed(let error, let cause):
        if let cause, cause.endsBatch { throw BatchFailure(cause) }
        deliveries.append { work.fail(error) }
      }
    }
    return deliveries
  }
}

extension StorageError {
  /// The whole transaction is gone, not only one statement, and another attempt may go through.
  fileprivate var endsBatch: Bool { code == .connectionLost || code == .serialization }
}
