/// Many writes, one COMMIT.
struct GroupCommit {
  let connection: any Connection
  let counts: WriteCounts
  /// Answers a row while writes are stopped; nil where they never are.
  let stop: SQL?

  private struct Outcome {
    var deliveries: [@Sendable () -> Void] = []
    var hasChanges = false
  }

  /// Answers what is left to do for each write, in order, when the transaction is durable. Throws why the batch as a
  /// whole came to nothing, or `.outcomeUnknown`.
  func run(_ batch: [PendingWork]) throws(StorageError) -> [@Sendable () -> Void] {
    let outcome: Outcome
    do throws(EngineFailure) {
      outcome = try runAll(batch, isolating: false)
    } catch {
      connection.discard()
      throw error.cause
    }
    guard outcome.hasChanges else {
      connection.discard()
      return outcome.deliveries
    }
    let began = ContinuousClock.now
    do throws(EngineFailure) {
      try connection.commit()
    } catch {
      guard error.cause.code != .outcomeUnknown else { throw error.cause }
      connection.discard()
      guard error.cause.code == .connectionLost else { throw error.cause }
      throw StorageError(.outcomeUnknown, "no answer to COMMIT: \(error.cause.message)")
    }
    counts.committed(batch.count, in: .now - began)
    return outcome.deliveries
  }

  /// A savepoint costs two statements for each write. So they are set only after one of several writes has failed and
  /// left changes behind, or a transaction that takes no more statements: then all run again, each in its own.
  private func runAll(_ batch: [PendingWork], isolating: Bool) throws(EngineFailure) -> Outcome {
    var outcome = Outcome()
    var lastSteps = LastSteps()
    try connection.begin(.write, stop: batch.contains(where: \.heedsStop) ? stop : nil)
    for (index, work) in batch.enumerated() {
      if work.heedsStop, connection.isStopped {
        outcome.deliveries.append { work.fail(WriteStop.refusal) }
        continue
      }
      if isolating { try connection.savepoint() }
      let before = connection.changes
      switch heedingStop(work, work.attempt(on: connection)) {
      case .done(let deliver, let steps):
        if isolating { try connection.releaseSavepoint() }
        outcome.deliveries.append(deliver)
        lastSteps.add(steps, of: index)
        if connection.changes > before { outcome.hasChanges = true }
      case .failed(let error, let cause):
        if let cause, cause.endsBatch || connection.transaction == .none { throw EngineFailure(cause) }
        if isolating {
          try connection.rollBackToSavepoint()
        } else if batch.count > 1, connection.changes > before || connection.transaction == .failed {
          connection.discard()
          counts.reran()
          return try runAll(batch, isolating: true)
        }
        outcome.deliveries.append { work.fail(error) }
      }
    }
    let before = connection.changes
    if let refused = try lastSteps.run(on: connection) {
      connection.discard()
      return try runAll(batch, without: refused, isolating: isolating)
    }
    if connection.changes > before { outcome.hasChanges = true }
    return outcome
  }

  /// Runs a batch again after one of its writes was refused at its end: the others are counted without it.
  private func runAll(
    _ batch: [PendingWork], without refused: (work: Int, error: any Error), isolating: Bool
  ) throws(EngineFailure) -> Outcome {
    var rest = batch
    let work = rest.remove(at: refused.work)
    var outcome = Outcome()
    if !rest.isEmpty {
      counts.reran()
      outcome = try runAll(rest, isolating: isolating)
    }
    outcome.deliveries.append { work.fail(refused.error) }
    return outcome
  }

  /// What has become of a write if it was told only while it ran that writes are stopped: whatever it did is undone.
  private func heedingStop(_ work: PendingWork, _ attempt: PendingWork.Attempt) -> PendingWork.Attempt {
    guard work.heedsStop, connection.isStopped else { return attempt }
    guard case .failed(_, let cause) = attempt else { return .failed(WriteStop.refusal, cause: nil) }
    return .failed(WriteStop.refusal, cause: cause)
  }
}

/// A read sees one snapshot, however many statements it runs.
enum SnapshotRead {
  static func run(
    _ batch: [PendingWork], on connection: any Connection
  ) throws(StorageError) -> [@Sendable () -> Void] {
    var deliveries: [@Sendable () -> Void] = []
    for work in batch {
      do throws(EngineFailure) {
        try connection.begin(.read)
      } catch {
        connection.discard()
        throw error.cause
      }
      let attempt = work.attempt(on: connection)
      connection.discard()
      switch attempt {
      case .done(let deliver, _): deliveries.append(deliver)
      case .failed(let error, let cause):
        if let cause, cause.endsBatch { throw cause }
        deliveries.append { work.fail(error) }
      }
    }
    return deliveries
  }
}

extension StorageError {
  /// The whole transaction is gone, not only one statement, and another attempt may go through.
  var endsBatch: Bool { code == .connectionLost || code == .serialization }
}
