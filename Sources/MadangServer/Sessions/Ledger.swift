import MadangOperations
import Synchronization

/// Resources that callers hold at a moment, by address: slots and bytes, which are returned later. ``CallLimits`` counts
/// calls over time; password hashing has its own turns (`WorkerPool`).
package final class Ledger: Sendable {
  enum Cost: String, CaseIterable, Sendable {
    case connections, sessions
    case heldConnects = "held_connects"
    /// Bytes of request bodies in memory, and of long answers until their clients have read them.
    case memory
    /// Bytes of files that are being received.
    case disk
    /// Downloads from a bucket: each holds a connection to it as long as its client reads.
    case downloads
  }

  private struct Payer: Hashable {
    let caller: KeyHash
    let cost: Cost
  }

  private struct State {
    var held: [Payer: Int] = [:]
    var totals: [Cost: Int] = [:]
  }

  private let limits: [Cost: LedgerLimit]
  private let state = Mutex(State())

  init(_ limits: [Cost: LedgerLimit]) { self.limits = limits }

  /// The most that all callers may hold together; 0 for no limit.
  func limit(_ cost: Cost) -> Int { limits[cost]?.total ?? 0 }

  /// The amounts that all callers hold together.
  var totals: [Cost: Int] { state.withLock(\.totals) }

  /// Takes an amount. False, taking nothing, if that would exceed the limit of the caller or of all.
  /// - Parameter account: A second caller whose limit applies; the total counts the amount once.
  func take(_ cost: Cost, _ amount: Int = 1, for caller: KeyHash, and account: KeyHash? = nil) -> Bool {
    guard let limit = limits[cost] else { return true }
    return state.withLock { state in
      let payers = Self.payers(cost, caller, account)
      let held = (payers.map { state.held[$0] ?? 0 }.max() ?? 0) + amount
      let total = (state.totals[cost] ?? 0) + amount
      guard held <= limit.perAddress, total <= limit.most(forWhoHolds: held) else { return false }
      for payer in payers { state.held[payer, default: 0] += amount }
      state.totals[cost] = total
      return true
    }
  }

  /// Returns an amount.
  func giveBack(_ cost: Cost, _ amount: Int = 1, for caller: KeyHash, and account: KeyHash? = nil) {
    guard limits[cost] != nil, amount > 0 else { return }
    state.withLock { state in
      for payer in Self.payers(cost, caller, account) {
        let rest = (state.held[payer] ?? 0) - amount
        state.held[payer] = rest > 0 ? rest : nil
      }
      state.totals[cost] = max(0, (state.totals[cost] ?? 0) - amount)
    }
  }

  private static func payers(_ cost: Cost, _ caller: KeyHash, _ account: KeyHash?) -> [Payer] {
    [Payer(caller: caller, cost: cost)] + (account.map { [Payer(caller: $0, cost: cost)] } ?? [])
  }
}

extension Ledger {
  /// Takes a slot or bytes. Returns a closure that returns them.
  func place(
    _ cost: Cost, _ amount: Int = 1, for caller: KeyHash, and account: KeyHash? = nil
  ) -> (@Sendable () -> Void)? {
    guard take(cost, amount, for: caller, and: account) else { return nil }
    return { self.giveBack(cost, amount, for: caller, and: account) }
  }
}

/// An amount that is returned when the last reference to this object ends.
final class Holding: Sendable {
  private let giveBack: @Sendable () -> Void

  init(_ giveBack: @escaping @Sendable () -> Void) { self.giveBack = giveBack }

  deinit { giveBack() }
}

extension Ledger {
  package convenience init(_ settings: ServerSettings) { self.init(settings.ledgerLimits) }
}

extension ServerSettings {
  var ledgerLimits: [Ledger.Cost: LedgerLimit] {
    [
      .connections: limits.connections, .sessions: limits.sessions, .heldConnects: limits.heldConnects,
      .memory: limits.memory, .disk: limits.uploads, .downloads: limits.downloads,
    ]
  }
}
