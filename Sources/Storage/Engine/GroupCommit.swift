/// Commits many writes with one COMMIT.
struct GroupCommit {
  let connection: any Connection
  let counts: WriteCounts
  /// Query that returns a row while writes are stopped; nil if they can never be stopped.
  let stop: SQL?

  struct Outcome {
    /// Delivers the result of each write, in order.
    var deliveries: [@Sendable () -> Void] = []
    /// Writes whose changes were rolled back and that must now run one by one.
    var postponed: [PendingWork] = []
    fileprivate var hasChanges = false
  }

  /// Returns when the transaction is durable. Throws why the batch as a whole failed, or `.outcomeUnknown`.
  func run(_ batch: [PendingWork]) throws(StorageError) -> Outcome {
    let outcome: Outcome
    do throws(EngineFailure) {
      outcome = try runAll(batch, isolating: false)
    } catch {
      connection.discard()
      throw error.cause
    }
    guard outcome.hasChanges else {
      connection.discard()
      return outcome
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
    counts.committed(batch.count - outcome.postponed.count, in: .now - began)
    return outcome
  }

  /// Savepoints cost two statements for each write. So they are used only after one of several writes has failed and left changes, or left
  /// a transaction that accepts no more statements. Then all run again, each inside its own savepoint.
  private func runAll(_ batch: [PendingWork], isolating: Bool) throws(EngineFailure) -> Outcome {
    var outcome = Outcome()
    var lastSteps = LastSteps()
    try connection.begin(.write, stop: batch.contains(where: \.heedsStop) ? stop : nil)
    var progress: [PipelinedSteps.Progress?] = []
    for (index, work) in batch.enumerated() {
      if progress.count == index {
        do throws(EngineFailure) {
          progress += try runSteps(of: batch[index...], isolating: isolating)
        } catch {
          guard !error.cause.endsBatch, connection.transaction != .none else { throw error }
          return try runAgain(batch)
        }
      }
      let hasChangedBefore = progress[index]?.hasChanged ?? false
      if work.heedsStop, connection.isStopped, !hasChangedBefore {
        outcome.deliveries.append { work.fail(WriteStop.refusal) }
        continue
      }
      if isolating { try connection.savepoint() }
      let before = connection.changes
      switch heedingStop(work, work.attempt(on: connection, after: progress[index])) {
      case .done(let deliver, let steps):
        if isolating { try connection.releaseSavepoint() }
        outcome.deliveries.append(deliver)
        lastSteps.add(steps, of: index)
        if hasChangedBefore || connection.changes > before { outcome.hasChanges = true }
      case .failed(let error, let cause):
        if let cause, cause.endsBatch || connection.transaction == .none { throw EngineFailure(cause) }
        if isolating {
          try connection.rollBackToSavepoint()
        } else if batch.count > 1,
          hasChangedBefore || connection.changes > before || connection.transaction == .failed
        {
          return try runAgain(batch)
        }
        outcome.deliveries.append { work.fail(error) }
      }
    }
    let before = connection.changes
    var refused = try lastSteps.run(on: connection)
    // The answer to a last step may be the first to report that writes are stopped.
    if connection.isStopped, case let works = lastSteps.works.filter({ batch[$0].heedsStop }), !works.isEmpty {
      refused = LastSteps.Refusal(works: works, error: WriteStop.refusal, neighbours: [])
    }
    if let refused {
      connection.discard()
      return try runAll(batch, without: refused, isolating: isolating)
    }
    if connection.changes > before { outcome.hasChanges = true }
    return outcome
  }

  private func runAgain(_ batch: [PendingWork]) throws(EngineFailure) -> Outcome {
    connection.discard()
    counts.reran()
    return try runAll(batch, isolating: true)
  }

  /// Runs the steps of the leading writes that have steps. Nil for a write that runs its steps together with its body.
  private func runSteps(
    of works: ArraySlice<PendingWork>, isolating: Bool
  ) throws(EngineFailure) -> [PipelinedSteps.Progress?] {
    let together = isolating ? [] : works.prefix(while: \.steps.hasStatement)
    return together.count > 1 ? try PipelinedSteps(connection: connection).run(together) : [nil]
  }

  /// Runs a batch again after some of its writes were refused in a last step, because the sums for the other writes must not include them.
  /// Writes with a step at the same place may be refused as well, and each refusal would run the whole batch again; so these run alone
  /// after the others.
  private func runAll(
    _ batch: [PendingWork], without refused: LastSteps.Refusal, isolating: Bool
  ) throws(EngineFailure) -> Outcome {
    let rest = batch.indices.filter { !refused.works.contains($0) && !refused.neighbours.contains($0) }.map {
      batch[$0]
    }
    var outcome = Outcome()
    if !rest.isEmpty {
      counts.reran()
      outcome = try runAll(rest, isolating: isolating)
    }
    for work in refused.works { outcome.deliveries.append { batch[work].fail(refused.error) } }
    outcome.postponed += refused.neighbours.map { batch[$0] }
    return outcome
  }

  /// The result of a write during which the transaction learned that writes are stopped: its changes are undone.
  private func heedingStop(_ work: PendingWork, _ attempt: PendingWork.Attempt) -> PendingWork.Attempt {
    guard work.heedsStop, connection.isStopped else { return attempt }
    guard case .failed(_, let cause) = attempt else { return .failed(WriteStop.refusal, cause: nil) }
    return .failed(WriteStop.refusal, cause: cause)
  }
}

extension StorageError {
  /// The whole transaction is lost, and another attempt may succeed.
  var endsBatch: Bool { code == .connectionLost || code == .serialization }
}
