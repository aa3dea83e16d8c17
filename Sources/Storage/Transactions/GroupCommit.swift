/// Commits many writes with one COMMIT. An error undoes only the write that it belongs to:
///
///     together ── a write failed after it changed something ──► with savepoints
///        │                                                          │
///        ├── steps before COMMIT refused some writes ──► again without these, in the same way
///        ▼                                                          ▼
///      COMMIT                                                     COMMIT
struct GroupCommit {
  let connection: any Connection
  let counts: WriteCounts
  /// Query that returns a row while writes are stopped; nil if they can never be stopped.
  let stop: SQL?

  struct Outcome {
    /// Delivers the result of each write, in order.
    var deliveries: [PendingWork.Delivery] = []
    /// Writes whose changes were rolled back and that must now run one by one.
    var postponed: [PendingWork] = []
  }

  private enum Ending {
    case readyToCommit([PendingWork.Delivery], hasChanges: Bool)
    case needsSavepoints
    case refused(CommitSteps.Refusal)
  }

  /// Returns when the transaction is durable. Throws why the batch as a whole failed, or `.outcomeUnknown`.
  func run(_ batch: [PendingWork]) throws(StorageError) -> Outcome {
    var (writes, withSavepoints, outcome) = (batch, false, Outcome())
    while true {
      switch try attempt(writes, withSavepoints: withSavepoints) {
      case .readyToCommit(let deliveries, let hasChanges):
        outcome.deliveries = deliveries + outcome.deliveries
        if hasChanges { try commit(batch.count - outcome.postponed.count) } else { connection.discard() }
        return outcome
      case .needsSavepoints: withSavepoints = true
      case .refused(let refusal):
        // The sums for the other writes must not include the refused ones. The neighbours may be refused as well, and each refusal would
        // run the whole batch again; so they run alone afterwards.
        for index in refusal.writes {
          outcome.deliveries.append { [write = writes[index]] in write.fail(refusal.error) }
        }
        outcome.postponed += refusal.neighbours.sorted().map { writes[$0] }
        writes = writes.indices.filter { !refusal.writes.contains($0) && !refusal.neighbours.contains($0) }.map {
          writes[$0]
        }
      }
      connection.discard()
      guard !writes.isEmpty else { return outcome }
      counts.reran()
    }
  }

  private func attempt(_ writes: [PendingWork], withSavepoints: Bool) throws(StorageError) -> Ending {
    do throws(EngineFailure) {
      try connection.begin(.write, stop: writes.allSatisfy(\.ignoresStop) ? nil : stop)
      return try runAll(writes, withSavepoints: withSavepoints)
    } catch {
      connection.discard()
      throw error.cause
    }
  }

  /// - Parameter withSavepoints: Whether each write gets a savepoint, to be undone alone. This costs two statements for each.
  private func runAll(_ writes: [PendingWork], withSavepoints: Bool) throws(EngineFailure) -> Ending {
    var (attempts, deliveries, hasChanges, steps) = ([Attempt](), [PendingWork.Delivery](), false, CommitSteps())
    for (index, write) in writes.enumerated() {
      if withSavepoints { try connection.savepoint() }
      if index == attempts.count {
        let together = withSavepoints ? [] : writes[index...].prefix(while: \.isPipelined)
        attempts +=
          together.count > 1 ? PipelinedBodies().run(together, on: connection) : [write.attempt(on: connection)]
      }
      let attempt = attempts[index]
      switch attempt.result {
      case .success(let deliver):
        if withSavepoints { try connection.releaseSavepoint() }
        deliveries.append(deliver)
        steps.add(attempt.commitSteps, of: index)
        if attempt.hasChanged { hasChanges = true }
      case .failure(let error):
        if let failure = attempt.failure, failure.endsBatch || connection.transaction == .none {
          throw EngineFailure(failure)
        }
        if withSavepoints {
          try connection.rollBackToSavepoint()
        } else if writes.count > 1, attempt.hasChanged || connection.transaction == .failed {
          return .needsSavepoints
        }
        deliveries.append { write.fail(error) }
      }
    }
    let before = connection.changes
    var refusal = try steps.run(on: connection)
    // The answer to a step may be the first to report that writes are stopped.
    if connection.isStopped, case let stopped = steps.writes.filter({ !writes[$0].ignoresStop }), !stopped.isEmpty {
      refusal = CommitSteps.Refusal(writes: stopped, error: WriteStop.refusal, neighbours: [])
    }
    if let refusal { return .refused(refusal) }
    return .readyToCommit(deliveries, hasChanges: hasChanges || connection.changes > before)
  }

  private func commit(_ count: Int) throws(StorageError) {
    let began = ContinuousClock.now
    do throws(EngineFailure) {
      try connection.commit()
    } catch {
      guard error.cause.code != .outcomeUnknown else { throw error.cause }
      connection.discard()
      guard error.cause.code == .connectionLost else { throw error.cause }
      throw StorageError(.outcomeUnknown, "no answer to COMMIT: \(error.cause.message)")
    }
    counts.committed(count, in: .now - began)
  }
}

extension StorageError {
  /// The whole transaction is lost, and another attempt may succeed.
  var endsBatch: Bool { code == .connectionLost || code == .serialization }
}
