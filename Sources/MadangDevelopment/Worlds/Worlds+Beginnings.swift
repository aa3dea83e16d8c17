import Foundation
import MadangCore
import MadangOperations
import MadangServer
import Storage
import Synchronization

/// Initial data of worlds: a seed is planted once for each kind of world.
extension Worlds {
  /// How long a planted seed is reused for worlds with real time, in milliseconds: its dates are at most this much too
  /// early.
  private static let freshness: Int64 = 60_000

  /// How many planted seeds are cached, the most recently used. Worlds keep their own.
  private static let maxBeginnings = 16

  /// How many planted seeds are cached, for tests.
  package var keptBeginnings: Int { state.withLock { $0.beginnings.count } }

  /// The initial data for worlds of this kind; planted once, and again from time to time for worlds with real time.
  func beginning(of plan: WorldPlan) async throws -> WorldState {
    let kind = Kind(seed: plan.seed.digest, number: plan.number, settings: plan.settings)
    if let known = known(kind) { return known }
    await planting.wait()
    defer { planting.signal() }
    try Task.checkCancellation()
    if let known = known(kind) { return known }
    let made = try await plant(plan.seed, number: plan.number, try settings(plan.settings))
    let forgotten = state.withLock { state in
      state.uses += 1
      state.beginnings[kind] = (made, Clock.systemTime(), state.uses)
      guard state.beginnings.count > Self.maxBeginnings else { return nil as WorldState? }
      let oldest = state.beginnings.min { $0.value.usedAt < $1.value.usedAt }
      return oldest.flatMap { state.beginnings.removeValue(forKey: $0.key)?.state }
    }
    // Its files are removed outside of the lock.
    _ = forgotten
    return made
  }

  /// Its files were removed: the next world of its kind plants the seed again.
  func forget(_ beginning: WorldState) {
    state.withLock { state in state.beginnings = state.beginnings.filter { $0.value.state !== beginning } }
  }

  private func known(_ kind: Kind) -> WorldState? {
    state.withLock { state in
      guard let known = state.beginnings[kind],
        kind.number != nil || Clock.systemTime() - known.madeAt < Self.freshness
      else { return nil }
      state.uses += 1
      state.beginnings[kind]?.usedAt = state.uses
      return known.state
    }
  }

  private func plant(_ seed: Seed, number: UInt64?, _ settings: ServerSettings) async throws -> WorldState {
    let place = state.withLock { state in
      state.folders += 1
      return folder.url.appending(path: "seed-\(state.folders)", directoryHint: .isDirectory)
    }
    var settings = settings
    settings.dataDirectory = place
    let clock = Clock()
    if number != nil {
      clock.run(at: 0)
      clock.set(seed.start)
    }
    // A distinct number for each seed, so that worlds of different seeds have different ids.
    let digest = UInt64(seed.digest, radix: 16) ?? 0
    let ids = SeededRandom(number.map { $0 &* 0x2545_F491_4F6C_DD1D ^ digest } ?? .random(in: 0...(.max)))
    do {
      try await makeInstallation(settings, clock: clock, ids: ids.ids, pools: pools, logger: logger) { madang in
        let moment = clock.now
        let planting = try await Documents.shared.read { try seed.planting(at: moment, isCancelled: $0) }
        try await madang.plant(planting)
      }
    } catch {
      try? FileManager.default.removeItem(at: place)
      throw WorldError.ofFiles(error, in: place)
    }
    guard number != nil else { return WorldState(folder: place, time: .ahead(0), ids: nil) }
    return WorldState(folder: place, time: .at(seed.start, rate: 0), ids: ids.position)
  }
}
