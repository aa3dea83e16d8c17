import ArgumentParser
import Conformance
import MadangOperations
import Synchronization
import UnixSignals

/// The outcomes of a run that has not ended.
final class OutcomesSoFar: Sendable {
  private let outcomes = Mutex<[Outcome]>([])
  private let total: Int

  init(total: Int) { self.total = total }

  func add(_ outcome: Outcome) { outcomes.withLock { $0.append(outcome) } }

  var progress: WorkProgress {
    outcomes.withLock { outcomes in
      let violated = outcomes.count { $0.outcome == .violated }
      let phase = violated == 0 ? "trying rules" : "trying rules (\(violated) violated)"
      return WorkProgress(phase: phase, done: outcomes.count, total: total)
    }
  }

  /// Writes what there is and ends the program as the signal asks for.
  func end(at signal: UnixSignal, _ files: OutcomeFiles) {
    let outcomes = outcomes.withLock(\.self).inOrder
    do {
      try files.write(outcomes)
      Terminal.problem("madang: ended by a signal; \(files.results) holds \(outcomes.count) of \(total) outcomes")
    } catch {
      Terminal.problem("madang: \(error.message)")
    }
    ConformanceCommand.exit(withError: ExitCode(128 + signal.rawValue))
  }
}
