import MadangCore
import MadangServer
import Synchronization

/// How long a world stays without a request to it or about it. After that it is removed, so that worlds of a test run that
/// was ended do not stay.
package final class WorldLease: Sendable {
  package static let shortest: Duration = .seconds(1)
  package static let longest: Duration = .seconds(7 * 86_400)

  let time: Duration
  private let end: Mutex<ContinuousClock.Instant>

  init(_ time: Duration) {
    self.time = time
    end = Mutex(.now + time)
  }

  /// A request has come.
  func renew() {
    let next = ContinuousClock.now + time
    end.withLock { $0 = max($0, next) }
  }

  /// The rest of it; not above zero at its end.
  var rest: Duration { end.withLock { $0 } - .now }

  /// Its length in words.
  var words: String { LengthOfTime.text(ofMilliseconds: time.wholeMilliseconds) }

  /// When it ends, in milliseconds since 1970 by the system's clock.
  var expires: Int64 { Clock.systemTime() + rest.wholeMilliseconds }
}

extension Worlds {
  /// How often leases are examined.
  private static let leasePause: Duration = .milliseconds(250)

  /// Removes worlds at the end of their leases, while there are any with one.
  func watchLeases() {
    let isFirst = state.withLock { state in
      defer { state.watchesLeases = true }
      return !state.watchesLeases
    }
    guard isFirst else { return }
    Task { [weak self] in
      while (try? await Task.sleep(for: Self.leasePause)) != nil {
        guard let self, await self.examineLeases() else { return }
      }
    }
  }

  /// Removes worlds whose leases are over. Returns whether other worlds have leases.
  private func examineLeases() async -> Bool {
    let leased = state.withLock { state in
      let leased = state.worlds.values.filter { $0.lease != nil }
      state.watchesLeases = !leased.isEmpty
      return leased
    }
    for world in leased {
      guard let lease = world.lease else { continue }
      // A call in progress keeps its world, however long it waits.
      if world.kit.isBusy { lease.renew() }
      guard lease.rest <= .zero else { continue }
      state.withLock { state in
        for name in [world.id, world.hostName] { state.expired.set(name, lease.words) }
      }
      _ = await remove(world.id)
    }
    return !leased.isEmpty
  }

  /// Why there is no world with this id or name, in lower case.
  func absence(of name: String) -> WorldError {
    guard let time = state.withLock({ $0.expired[name] }) else {
      return WorldError("there is no world '\(name)'; GET /_dev/worlds lists them")
    }
    return WorldError(
      "the world '\(name)' was removed, because no request had come for \(time), its 'ttl'; give a longer one, or make "
        + "the world again")
  }
}
