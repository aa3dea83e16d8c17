import HTTPTypes
import MadangCore
import MadangServer
import SocketIOServer
import Synchronization

/// The faults of a server: rules in order of their creation, of which the first that is due applies.
///
/// Safe to share between threads. Without rules, requests and packets cost one flag.
package final class Faults: Sendable {
  /// The largest number of rules.
  package static let maxRules = 256

  private struct State {
    var armed: [ArmedFault] = []
    var lastID = 0
    /// Account numbers by the e-mails in rules, in lower case.
    var accounts: [String: Int64] = [:]
    /// How often a reset replaced the database.
    var exchanges = 0

    /// E-mails in rules for packets that have no known account.
    var unknown: Set<String> { Set(armed.compactMap(\.emailOfPackets)).subtracting(accounts.keys) }
  }

  private let state = Mutex(State())
  private let clock: MadangCore.Clock
  private let hasForRequests = Atomic(false)
  private let hasForSockets = Atomic(false)
  private let hasUnknown = Atomic(false)
  private let hasAccountsOfSockets = Atomic(false)
  private let hasBodies = Atomic(false)
  let outage: Outage

  /// - Parameters:
  ///   - clock: The server's, for rules that end at a moment.
  ///   - outage: Restarts the server.
  package init(clock: MadangCore.Clock, outage: Outage) {
    self.clock = clock
    self.outage = outage
  }

  /// Whether any rule applies to sockets.
  package var disturbsSockets: Bool { hasForSockets.load(ordering: .relaxed) }
  package var disturbsRequests: Bool { hasForRequests.load(ordering: .relaxed) }
  /// Whether a rule for packets has an e-mail.
  var namesAccountsOfSockets: Bool { hasAccountsOfSockets.load(ordering: .relaxed) }
  /// Whether a rule asks for bodies of requests.
  var readsBodies: Bool { hasBodies.load(ordering: .relaxed) }
  /// Whether a rule for packets has an e-mail without a known account.
  var lacksAccounts: Bool { hasUnknown.load(ordering: .relaxed) }

  /// Whether there are no faults for requests.
  var isIdle: Bool { !disturbsRequests && !lacksAccounts && outage.isOver }

  // MARK: Rules

  /// Adds rules after the existing ones; all or none.
  ///
  /// - Returns: Their ids.
  /// - Throws: `BadCall`, naming the field and the cure.
  package func add(_ rules: [FaultRule]) async throws(BadCall) -> [Int] {
    let ids: Result<[Int], BadCall> = state.withLock { state in
      guard state.armed.count + rules.count <= Self.maxRules else {
        return .failure(BadCall("there are already \(Self.maxRules) faults; remove some with DELETE /_dev/faults/ID"))
      }
      var added: [ArmedFault] = []
      for rule in rules {
        do throws(BadCall) {
          let armed = try ArmedFault(state.lastID + added.count + 1, rule)
          guard !armed.isOver(at: clock.now) else {
            throw BadCall("match.until: has already passed on the server's clock")
          }
          added.append(armed)
        } catch {
          return .failure(rules.count == 1 ? error : BadCall("[\(added.count)].\(error.error)"))
        }
      }
      state.armed += added
      state.lastID += added.count
      setFlags(state)
      return .success(added.map(\.id))
    }
    if lacksAccounts { await learnAccounts() }
    return try ids.get()
  }

  /// Adds one rule.
  @discardableResult
  package func add(_ rule: FaultRule) async throws(BadCall) -> Int { try await add([rule]).first ?? 0 }

  /// Returns whether the rule existed.
  @discardableResult
  package func remove(_ id: Int) -> Bool {
    state.withLock { state in
      guard let index = state.armed.firstIndex(where: { $0.id == id }) else { return false }
      state.armed.remove(at: index)
      setFlags(state)
      return true
    }
  }

  package func removeAll() {
    state.withLock { state in
      state.armed = []
      state.accounts = [:]
      setFlags(state)
    }
  }

  /// A reset has replaced the database: account numbers have new meanings.
  func forgetAccounts() {
    state.withLock { state in
      state.accounts = [:]
      state.exchanges += 1
      setFlags(state)
    }
  }

  /// Looks up the accounts in rules for packets. Requests carry their account.
  func learnAccounts() async {
    let (unknown, exchanges) = state.withLock { ($0.unknown, $0.exchanges) }
    for email in unknown {
      guard let account = await outage.account(email: email) else { continue }
      state.withLock { state in
        guard state.exchanges == exchanges else { return }
        state.accounts[email] = account
        setFlags(state)
      }
    }
  }

  /// A rule with its counts.
  package struct Report: Codable, Equatable, Sendable {
    package let id: Int
    package let match: FaultMatch
    package let effect: FaultEffect
    /// How many requests or packets matched.
    package let matched: Int
    /// To how many of them it applied.
    package let applied: Int
  }

  package var reports: [Report] {
    state.withLock { state in
      state.armed.map {
        Report(
          id: $0.id, match: $0.rule.match, effect: $0.rule.effect, matched: $0.matched, applied: $0.applied)
      }
    }
  }

  private func setFlags(_ state: borrowing State) {
    hasForRequests.store(state.armed.contains { $0.rule.effect.kind.target == .request }, ordering: .relaxed)
    hasForSockets.store(state.armed.contains { $0.rule.effect.kind.target != .request }, ordering: .relaxed)
    hasUnknown.store(!state.unknown.isEmpty, ordering: .relaxed)
    hasAccountsOfSockets.store(state.armed.contains { $0.emailOfPackets != nil }, ordering: .relaxed)
    hasBodies.store(state.armed.contains { $0.rule.match.body != nil }, ordering: .relaxed)
  }

  // MARK: Deciding

  /// A fault that applies now.
  struct Applied: Sendable {
    let effect: FaultEffect
    let duration: Duration
    /// For the journal.
    let label: AppliedFault

    init(_ fault: inout ArmedFault) {
      effect = fault.rule.effect
      duration = fault.duration()
      label = AppliedFault(rule: fault.id, kind: fault.rule.effect.kind.rawValue)
    }
  }

  /// The first request rule that is due. Later rules do not see the request.
  ///
  /// - Parameter body: The request's body as JSON, if a rule asks for it.
  func decide(_ exchange: Exchange, _ body: JSONValue?) async -> Applied? {
    let needsAccount = state.withLock { $0.armed.contains(where: \.needsAccount) }
    let account = needsAccount ? await exchange.account() : nil
    let facts = RequestFacts(
      method: exchange.head.method.rawValue, path: String(exchange.path), operation: await exchange.operation(),
      account: account, headers: exchange.head.headerFields, body: body)
    return decide(.request) { $0.matches(facts) }
  }

  func decide(_ packet: TravellingPacket, _ joining: JoiningAccounts) -> Applied? {
    let accounts = state.withLock { $0.accounts }
    return decide(.packet) { $0.matches(packet, accounts, joining) }
  }

  /// A client asks for a WebSocket.
  func decideOpening() -> Applied? { decide(.opening) { _ in true } }

  private func decide(_ target: FaultEffect.Target, where matches: (ArmedFault) -> Bool) -> Applied? {
    let now = clock.now
    return state.withLock { state in
      for index in state.armed.indices {
        let fault = state.armed[index]
        guard fault.rule.effect.kind.target == target, !fault.isOver(at: now), matches(fault),
          state.armed[index].happens()
        else { continue }
        return Applied(&state.armed[index])
      }
      return nil
    }
  }
}
