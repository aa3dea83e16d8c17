import MadangCore

/// The properties of a new world.
package struct WorldPlan: Sendable {
  package var seed: Seed
  /// Its name; nil for its id.
  package var name: String?
  /// With a number all ids, tokens and file names repeat, and the clock stands still at the seed's moment until a test
  /// moves it. Nil: random and real time, like a server in production.
  package var number: UInt64?
  /// 0 chooses a free port.
  package var port = 0
  /// How long it stays without a request; nil: until it is removed, or the process ends.
  package var ttl: Duration?
  package var settings = WorldSettings()

  package init(seed: Seed) { self.seed = seed }
}
