import MadangOperations
import Synchronization

/// What callers hold of the server at a moment, by address: places and bytes that they give back. What they do in a time is
/// ``CallLimits``; the hashing of passwords goes by turns (`WorkerPool`).
package final class Ledger: Sendable {
  enum Cost: String, CaseIterable, Sendable {
    case connections, sessions
    case heldConnects = "held_connects"
    /// Bytes of bodies in memory, and of answers whose size others decide until their clients have read them.
    case memory
    /// Bytes of files that are being received.
    case disk
    /// Downloads that come from a bucket: each holds a connection to it for as long as its client takes.
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

  /// How much of it all together may hold; 0 where that has no limit.
  func limit(_ cost: Cost) -> Int { limits[cost]?.total ?? 0 }

  /// How much of everything is held by all together.
  var totals: [Cost: Int] { state.withLock(\.totals) }

  /// Takes what may be had. False, taking nothing, if that would be too much for the caller or for all together.
  /// - Parameter account: Another caller whose limit counts as well; it is one amount of the total.
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

  /// Gives back what was taken.
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
  /// Takes a place, or as many bytes, and answers how to give them back.
  func place(
    _ cost: Cost, _ amount: Int = 1, for caller: KeyHash, and account: KeyHash? = nil
  ) -> (@Sendable () -> Void)? {
    guard take(cost, amount, for: caller, and: account) else { return nil }
    return { self.giveBack(cost, amount, for: caller, and: account) }
  }
}

/// Something that was taken, given back when nobody refers to this any more.
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
