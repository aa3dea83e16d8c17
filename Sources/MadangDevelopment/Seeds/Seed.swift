import Crypto
import Foundation
import MadangCore

/// The initial data of a world, written in YAML or JSON (docs/reference/dev.md).
package struct Seed: Sendable {
  package let name: String
  /// The name of the seed.
  package let digest: String
  /// The start of the clock in a repeatable world, in milliseconds since 1970.
  package let start: Int64
  /// The scripts of its people.
  let scripts: [Script]
  private let root: YAMLNode

  /// The default start of the clock in repeatable worlds: 2026-01-05T09:00:00Z.
  package static let defaultStart: Int64 = 1_767_603_600_000
  /// The longest text of a seed, in bytes.
  package static let maxSize = DevelopmentCall.maxDocument

  /// Reads and checks a seed.
  /// - Parameters:
  ///   - name: The default for its name.
  ///   - isCancelled: Asked before each part.
  /// - Throws: ``SeedError``.
  package init(
    _ text: String, name: String = "seed", isCancelled: @escaping () -> Bool = { false }
  ) throws(SeedError) {
    guard text.utf8.count <= Self.maxSize else { throw SeedError(nil, "a seed has at most \(Self.maxSize) bytes") }
    root = try YAMLNode(parsing: text, isCancelled: isCancelled)
    let fields = try YAMLFields(root, "a seed", SeedReader.fields)
    self.name = try fields.text("name") ?? name
    start = try fields.moment("now", from: Self.defaultStart) ?? Self.defaultStart
    digest = SHA256.hash(data: Data(text.utf8)).prefix(8).map { String(format: "%02x", $0) }.joined()
    var reader = SeedReader(start: start, isCancelled: isCancelled)
    _ = try reader.read(root)
    scripts = try reader.readScripts(root)
  }

  /// The size of the seed.
  package struct Contents: Encodable, Sendable {
    package let name: String
    package let people: Int
    package let workspaces: Int
    package let channels: Int
    package let chats: Int
    package let scripts: Int
  }

  package func contents() throws(SeedError) -> Contents {
    let planting = try planting(at: start)
    let workspaces = planting.workspaces
    let chats = workspaces.map { workspace in
      workspace.defaultChats.count + workspace.channels.map(\.chats.count).reduce(0, +)
        + workspace.directMessages.map(\.chats.count).reduce(0, +)
    }
    return Contents(
      name: name, people: planting.people.count, workspaces: workspaces.count,
      // Each workspace also has its default channel.
      channels: workspaces.map { $0.channels.count + 1 }.reduce(0, +), chats: chats.reduce(0, +), scripts: scripts.count
    )
  }

  /// The data at a moment.
  /// - Parameter isCancelled: Asked before each object.
  package func planting(
    at moment: Int64, isCancelled: @escaping () -> Bool = { false }
  ) throws(SeedError) -> Planting {
    var reader = SeedReader(start: moment, isCancelled: isCancelled)
    return try reader.read(root)
  }
}

extension Seed {
  /// The built-in seeds.
  package enum Shipped: String, CaseIterable, Sendable {
    /// No people.
    case empty
    /// A few people, a workspace, channels, direct messages, pictures.
    case courtyard
    /// 200 people, 50 channels, 100,000 chats.
    case crowded
    /// Rare cases: longest names, emoji, right-to-left text, no pictures, empty rooms, former members.
    case edge

    /// The text of the seed.
    package var text: String {
      let bytes =
        switch self {
        case .empty: PackageResources.empty_yaml
        case .courtyard: PackageResources.courtyard_yaml
        case .crowded: PackageResources.crowded_yaml
        case .edge: PackageResources.edge_yaml
        }
      return String(decoding: bytes, as: UTF8.self)
    }
  }

  package init(_ shipped: Shipped) throws(SeedError) { try self.init(shipped.text, name: shipped.rawValue) }
}
