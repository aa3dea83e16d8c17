import MadangAPI
import Synchronization

/// Tries rules on a server, once.
package final class Runner: Sendable {
  private let server: ServerUnderTest
  private let rules: [Rule]
  /// How many rules are tried at a time.
  private let parallelism: Int
  /// How long one rule may take.
  private let timeLimit: Duration
  /// Whether the server stopped answering. Rules that were tried since then say nothing about it.
  private let isGone = Atomic(false)

  /// - Parameter timeLimit: Of one rule; nil for 40 s and the server's patience.
  package init(_ server: ServerUnderTest, _ rules: [Rule], parallelism: Int = 12, timeLimit: Duration? = nil) {
    (self.server, self.rules) = (server, rules)
    (self.parallelism, self.timeLimit) = (parallelism, timeLimit ?? .seconds(40) + server.patience)
  }

  private struct Attempt {
    let rule: Rule
    let edition: EditionName
  }

  /// Every rule in every edition it is for, in the order of ids and editions.
  /// - Parameter progress: Receives each outcome as it comes.
  package func run(progress: @Sendable (Outcome) -> Void = { _ in }) async -> [Outcome] {
    var outcomes: [Outcome] = []
    func tell(_ outcome: Outcome) {
      outcomes.append(outcome)
      progress(outcome)
    }
    let attempts = attempts
    await withTaskGroup(of: Outcome.self) { group in
      var waiting = attempts.filter { !$0.rule.runsAlone }[...]
      for attempt in waiting.prefix(parallelism) { group.addTask { await self.outcome(of: attempt) } }
      waiting = waiting.dropFirst(parallelism)
      for await outcome in group {
        tell(outcome)
        if let next = waiting.popFirst() { group.addTask { await self.outcome(of: next) } }
      }
    }
    // What moves the clock comes last: sessions and dates of the others would feel it.
    for movesClock in [false, true] {
      for attempt in attempts where attempt.rule.runsAlone && attempt.rule.needs.contains(.clock) == movesClock {
        tell(await outcome(of: attempt))
      }
    }
    return outcomes.inOrder
  }

  private var attempts: [Attempt] {
    rules.flatMap { rule in rule.editions.map { Attempt(rule: rule, edition: $0) } }
  }

  /// The number of outcomes of a whole run.
  package var count: Int { attempts.count }

  private func outcome(of attempt: Attempt) async -> Outcome {
    let (rule, edition) = (attempt.rule, attempt.edition)
    let server = server.recorded(for: edition)
    do {
      if let missing = server.missing(of: rule, in: edition) { throw Skip(reason: missing) }
      if isGone.load(ordering: .acquiring) { throw Skip(reason: Outcome.serverGone) }
      try await bounded { try await rule.check(Trial(server, edition)) }
      return Outcome(rule, edition, .passed)
    } catch let skip as Skip {
      return Outcome(rule, edition, .skipped, evidence: skip.reason)
    } catch {
      if await isSilent { return Outcome(rule, edition, .skipped, evidence: Outcome.serverGone) }
      let violation = error as? Violation
      let evidence =
        violation.map { "expected \($0.expected); seen \($0.seen)" } ?? "seen \(error)".shortened
      return violated(attempt, evidence, server.requests, violation)
    }
  }

  /// Whether the server answers nothing at all any more: then no rule is violated.
  private var isSilent: Bool {
    get async {
      do { try await bounded { [server] in try await server.reach() } } catch {
        isGone.store(true, ordering: .releasing)
      }
      return isGone.load(ordering: .acquiring)
    }
  }

  private func violated(
    _ attempt: Attempt, _ evidence: String, _ requests: RequestLog, _ violation: Violation? = nil
  ) -> Outcome {
    // On one line, without secrets.
    let line = String(requests.masked(evidence).map { $0.isNewline ? " " : $0 })
    return Outcome(
      attempt.rule, attempt.edition, .violated, evidence: line,
      request: requests.command(for: evidence, number: violation?.request), cause: violation?.cause)
  }

  private func bounded(_ body: @escaping @Sendable () async throws -> Void) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await body() }
      group.addTask { [timeLimit] in
        try await Task.sleep(for: timeLimit)
        throw Violation(expected: "all answers within \(timeLimit.components.seconds) s", seen: "no end by then")
      }
      defer { group.cancelAll() }
      try await group.next()
    }
  }
}

extension [Outcome] {
  /// By ids and editions.
  package var inOrder: [Outcome] { sorted { ($0.rule, $0.edition) < ($1.rule, $1.edition) } }
}

extension ServerUnderTest {
  /// Why a rule cannot be tried, or nil if it can.
  fileprivate func missing(of rule: Rule, in edition: EditionName) -> String? {
    if keys[edition] == nil { return "no key of the edition \(edition.rawValue) was given" }
    if rule.needs.contains(.bothEditions), keys.count < EditionName.allCases.count {
      return "the keys of both editions are needed"
    }
    if !rule.needs.isDisjoint(with: [.development, .clock]), !isInDevelopment {
      return "the calls of a server in development mode are needed (--dev)"
    }
    return nil
  }
}
