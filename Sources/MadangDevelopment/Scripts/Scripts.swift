import MadangAPI
import MadangCore
import Synchronization

/// The scripts of a server, running or not.
///
/// Safe to share between threads. If none waits for chats, a chat costs one look at a flag.
package final class Scripts: Sendable {
  /// How many chats may wait to be examined; further ones start nothing.
  private static let maxWaiting = 10_000

  private struct State {
    /// By name.
    var scripts: [String: RunningScript] = [:]
    var order: [String] = []
    /// The number of the last added script.
    var lastNumber = 0
    var waitingChats = 0

    var inOrder: [RunningScript] { order.compactMap { scripts[$0] } }

    /// Replaced scripts.
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
  /// Whether a script for chats was started since all were removed.
  private let listens = Atomic(false)
  private let agenda: Agenda
  private let people: People

  /// - Parameter clock: The server's clock, for delays and rates.
  package init(clock: MadangCore.Clock, people: People) { (agenda, self.people) = (Agenda(clock: clock), people) }

  /// Adds scripts, all or none; a script replaces another one of the same name. Scripts with `start` start.
  /// - Returns: All scripts in order of their creation, before the first runs of the started ones.
  /// - Throws: ``SeedError`` for a person without an account, ``WorldError`` for too many scripts.
  @discardableResult
  package func add(_ scripts: [Script]) async throws -> [ScriptReport] {
    try await check(scripts)
    let former = state.withLock { state -> [RunningScript]? in
      let count = Set(state.order).union(scripts.map(\.name)).count
      return count <= Script.limit ? state.add(scripts, agenda, people) : nil
    }
    guard let former else {
      throw WorldError("there are already \(Script.limit) scripts; remove some with DELETE /_dev/scripts/NAME")
    }
    for script in former { await script.stop() }
    return startThose(of: scripts)
  }

  /// Looks up all people like those who act.
  private func check(_ scripts: [Script]) async throws {
    var known: Set<String> = []
    for mention in scripts.flatMap(\.mentions) where known.insert(mention.person).inserted {
      do { _ = try await people.person(mention.person) } catch let error as WorldError {
        throw SeedError(mention.line, "\(mention.field): \(error)")
      }
    }
  }

  /// Ends all scripts, and adds these, whose number is within the limit.
  func replaceAll(by scripts: [Script]) async {
    await removeAll()
    _ = state.withLock { $0.add(scripts, agenda, people) }
    startThose(of: scripts)
  }

  /// Starts the scripts with `start`.
  /// - Returns: All scripts, before the first runs of these.
  @discardableResult
  private func startThose(of scripts: [Script]) -> [ScriptReport] {
    agenda.hold {
      var beginnings: [String: ScriptReport] = [:]
      for script in scripts where script.startsAtOnce { beginnings[script.name] = try? start(script.name) }
      return reports.map { beginnings[$0.name] ?? $0 }
    }
  }

  /// Starts a script from the beginning. Throws ``WorldError`` if it does not exist or already runs.
  /// - Returns: Its state before the first run.
  @discardableResult
  package func start(_ name: String) throws(WorldError) -> ScriptReport {
    let script = try script(name)
    if script.hearsChats { listens.store(true, ordering: .releasing) }
    guard let report = script.start() else {
      throw WorldError("the script '\(name)' already runs; stop it first")
    }
    return report
  }

  /// Ends a script and its runs. Their effects stay. Throws ``WorldError`` if it does not exist.
  package func stop(_ name: String) async throws(WorldError) { await (try script(name)).stop() }

  package func remove(_ name: String) async throws(WorldError) {
    let script = try script(name)
    state.withLock { state in
      state.scripts[name] = nil
      state.order.removeAll { $0 == name }
    }
    await script.stop()
  }

  /// Ends and removes all scripts.
  package func removeAll() async {
    let scripts = state.withLock { state in
      defer { (state.scripts, state.order) = ([:], []) }
      listens.store(false, ordering: .releasing)
      return state.inOrder
    }
    for script in scripts { await script.stop() }
  }

  /// The state of a script once it has ended, was stopped, has done this many runs, or the time is over.
  /// - Parameters:
  ///   - runs: Nil to wait for its end.
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

/// The state of a script.
package struct ScriptReport: Codable, Sendable {
  package enum State: String, Codable, Sendable {
    /// It was never started.
    case ready
    case running
    /// It has done all its runs.
    case ended
    case stopped
  }

  package struct Problem: Codable, Sendable {
    /// From 1, as ``step`` is.
    package let run: Int
    package let step: Int?
    package let person: String?
    /// The code of the refusal; nil if the failure is not the server's.
    package let code: String?
    package let error: String
  }

  package let name: String
  package let state: State
  /// How many runs have ended, and how many are in progress.
  package let runs: Int
  package let underWay: Int
  /// How many runs failed, and the first failures.
  package let failed: Int
  package let failures: [Problem]
}
