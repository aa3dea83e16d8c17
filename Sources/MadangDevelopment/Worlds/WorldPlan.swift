import MadangCore

/// What a new world is to be.
package struct WorldPlan: Sendable {
  package var seed: Seed
  /// How people call it; nil for its id.
  package var name: String?
  /// With a number all ids, tokens and names of files are the same each time, and the clock stands still at the seed's moment until
  /// somebody moves it. Nil: as on a server in use.
  package var number: UInt64?
  package var engine = Engine.sqlite
  /// 0 takes a free one.
  package var port = 0

  package enum Engine: String, Codable, CaseIterable, Sendable {
    case sqlite, postgres
  }

  package init(seed: Seed) { self.seed = seed }
}
