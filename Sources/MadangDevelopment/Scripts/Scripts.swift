import MadangAPI
import MadangCore
import Synchronization

/// The scripts of a server, and those of them that run.
///
/// Safe to share between threads. While none waits for chats, a chat costs one look at a flag.
package final class Scripts: Sendable {
  /// How many chats may wait to be looked at; those beyond it begin nothing.
  private static let maxWaiting = 10_000

  private struct State {
    /// By name.
    var scripts: [String: RunningScript] = [:]
    var order: [String] = []
    /// Of the script that was added last.
    var lastNumber = 0
    var waitingChats = 0

    var inOrder: [RunningScript] { order.compactMap { scripts[$0] } }

    /// Those whose place is taken.
    mutating func add(_ scripts: [Script], _ agenda: Agenda, _ people: People) -> [RunningScript] {
      scripts.compactMap { script in
        lastNumber += 1
        if self.scripts[script.name] == nil { order.append(script.name) }
        return self.scripts.updateValue(
          RunningScript(script, number: lastNumber, agenda: agenda, people: people), forKey: script.name)
      }
    }
  }

  private let state = Mutex(State())
  /// Whether any was started that is for chats, since all were removed.
  private let listens = Atomic(false)
  private let agenda: Agenda
  private let people: People

  /// - Parameter clock: The server's: delays and rates follow it.
  package init(clock: MadangCore.Clock, people: People) { (agenda, self.people) = (Agenda(clock: clock), people) }

  /// Adds scripts, all or none; one that has the name of another takes its place. Those that say so start.
  /// - Returns: All scripts, in the order in which they were added. Of those that start no run has begun.
  /// - Throws: ``SeedError`` for somebody whom a script names and who has no account, ``WorldError`` for too many.
  @discardableResult
  package func add(_ scripts: [Script]) async throws -> [ScriptReport] {
    try await check(scripts)
    let former = state.withLock { state -> [RunningScript]? in
      let count = Set(state.order).union(scripts.map(\.name)).count
      return count <= Script.limit ? state.add(scripts, agenda, people) : nil
    }
    guard let former else {
      throw WorldError("there may be \(Script.limit) scripts; remove some with DELETE /_dev/scripts/NAME")
    }
    for script in former { await script.stop() }
    return startThose(of: scripts)
  }

  /// Looks for everybody as who acts is looked for.
  private func check(_ scripts: [Script]) async throws {
    var known: Set<String> = []
    for mention in scripts.flatMap(\.mentions) where known.insert(mention.person).inserted {
      do { _ = try await people.person(mention.person) } catch let error as WorldError {
        throw SeedError(mention.line, "\(mention.field): \(error)")
      }
    }
  }

  /// Ends all scripts, and adds these, of which there are not too many.
  func replaceAll(by scripts: [Script]) async {
    await removeAll()
    _ = state.withLock { $0.add(scripts, agenda, people) }
    startThose(of: scripts)
  }

  /// Those that say so.
  /// - Returns: All scripts, before the first runs of these.
  @discardableResult
  private func startThose(of scripts: [Script]) -> [ScriptReport] {
    agenda.hold {
      var beginnings: [String: ScriptReport] = [:]
      for script in scripts where script.startsAtOnce { beginnings[script.name] = try? start(script.name) }
      return reports.map { beginnings[$0.name] ?? $0 }
    }
  }

  /// Starts a script from its beginning. Throws ``WorldError`` if there is none of this name, or it runs.
  /// - Returns: How it is before its first run begins.
  @discardableResult
  package func start(_ name: String) throws(WorldError) -> ScriptReport {
    let script = try script(name)
    if script.hearsChats { listens.store(true, ordering: .releasing) }
    guard let report = script.start() else {
      throw WorldError("the script '\(name)' runs already; stop it first")
    }
    return report
  }

  /// Ends a script and its runs. What they have done stays. Throws ``WorldError`` if there is none of this name.
  package func stop(_ name: String) async throws(WorldError) { await (try script(name)).stop() }

  package func remove(_ name: String) async throws(WorldError) {
    let script = try script(name)
    state.withLock { state in
      state.scripts[name] = nil
      state.order.removeAll { $0 == name }
    }
    await script.stop()
  }

  /// Ends all scripts and forgets them.
  package func removeAll() async {
    let scripts = state.withLock { state in
      defer { (state.scripts, state.order) = ([:], []) }
      listens.store(false, ordering: .releasing)
      return state.inOrder
    }
    for script in scripts { await script.stop() }
  }

  /// How the script is; it ended, or was stopped, or has done so many runs, or the time is over.
  /// - Parameters:
  ///   - runs: Nil for its end.
  ///   - time: In real time.
  package func report(of name: String, after runs: Int? = nil, within time: Duration = .zero) async throws(WorldError)
    -> ScriptReport
  {
    let script = try script(name)
    await script.wait(for: runs, within: time)
    return script.report
  }

  /// In the order in which they were added.
  package var reports: [ScriptReport] {
    state.withLock(\.inOrder).map(\.report)
  }

  private func script(_ name: String) throws(WorldError) -> RunningScript {
    let (script, names) = state.withLock { ($0.scripts[name], $0.order) }
    guard let script else {
      let known = names.isEmpty ? "there are none" : "there are \(names.joined(separator: ", "))"
      throw WorldError("there is no script '\(name)'; \(known)")
    }
    return script
  }

  // MARK: Chats

  /// A chat was committed. Called on the database's thread.
  func heard(_ chat: Chat) {
    guard listens.load(ordering: .acquiring) else { return }
    let (isTooMuch, scripts) = state.withLock { state in
      guard state.waitingChats < Self.maxWaiting else { return (true, state.inOrder) }
      state.waitingChats += 1
      return (false, [])
    }
    for script in scripts { script.missed(chat) }
    guard !isTooMuch else { return }
    agenda.add { [weak self] in
      let scripts = self?.state.withLock { state in
        state.waitingChats -= 1
        return state.inOrder
      }
      for script in scripts ?? [] { await script.hear(chat) }
    }
  }
}

/// How a script is.
package struct ScriptReport: Codable, Sendable {
  package enum State: String, Codable, Sendable {
    /// It was never started.
    case ready
    case running
    /// It ran as often as it is to.
    case ended
    case stopped
  }

  package struct Problem: Codable, Sendable {
    /// From 1, as ``step`` is.
    package let run: Int
    package let step: Int?
    package let person: String?
    /// The code that an edition would answer with; nil if it is not the server that refused.
    package let code: String?
    package let error: String
  }

  package let name: String
  package let state: State
  /// How many runs are over, and how many are under way.
  package let runs: Int
  package let underWay: Int
  /// How many runs ended with a failure; of those the first ones.
  package let failed: Int
  package let failures: [Problem]
}
