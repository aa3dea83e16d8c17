import MadangAPI
import MadangCore

/// A world in answers of calls.
package struct WorldSummary: Codable, Sendable {
  package let id: String
  package let name: String
  package let url: String
  package let port: Int
  package let seed: String
  package let number: UInt64?
  package let now: String
  package let snapshots: [String]
  /// The API keys by their editions.
  package let keys: [String: String]
  /// When the world is removed if no request comes, by the system's clock; nil: not at all.
  package let expires: String?
  /// The settings that it was given.
  package let settings: [String: String]

  init(_ world: World) {
    (id, name, url, port, number) = (world.id, world.name, world.url, world.port, world.number)
    (seed, now, snapshots) = (world.seed.name, WireDate.string(world.clock.now), world.snapshots)
    keys = world.keys.byEdition
    expires = world.lease.map { WireDate.string($0.expires) }
    settings = world.givenSettings.written
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(id, forKey: .id)
    try container.encode(name, forKey: .name)
    try container.encode(url, forKey: .url)
    try container.encode(port, forKey: .port)
    try container.encode(seed, forKey: .seed)
    // Null if absent, so that readers find all keys.
    try container.encode(number, forKey: .number)
    try container.encode(now, forKey: .now)
    try container.encode(snapshots, forKey: .snapshots)
    try container.encode(keys, forKey: .keys)
    try container.encode(expires, forKey: .expires)
    try container.encode(settings, forKey: .settings)
  }
}
