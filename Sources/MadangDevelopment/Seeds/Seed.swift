import Crypto
import Foundation
import MadangCore

/// The start of a world, as it is written in YAML or JSON (docs/reference/dev.md).
package struct Seed: Sendable {
  package let name: String
  /// What tells seeds apart.
  package let digest: String
  /// When the clock of a repeatable world begins, in milliseconds since 1970.
  package let start: Int64
  /// What people do by themselves in it.
  let scripts: [Script]
  private let root: SeedNode

  /// The moment at which repeatable worlds begin whose seed names none: 2026-01-05T09:00:00Z.
  package static let defaultStart: Int64 = 1_767_603_600_000
  /// The longest text of a seed, in bytes.
  package static let maxSize = 64 << 20

  /// Reads and checks a seed.
  /// - Parameter name: Its name, where it has none of its own.
  /// - Throws: ``SeedError``.
  package init(_ text: String, name: String = "seed") throws(SeedError) {
    guard text.utf8.count <= Self.maxSize else { throw SeedError(nil, "a seed has at most \(Self.maxSize) bytes") }
    root = try SeedNode(parsing: text)
    let fields = try SeedFields(root, "a seed", SeedReader.fields)
    self.name = try fields.text("name") ?? name
    start = try fields.moment("now", from: Self.defaultStart) ?? Self.defaultStart
    digest = SHA256.hash(data: Data(text.utf8)).prefix(8).map { String(format: "%02x", $0) }.joined()
    var reader = SeedReader(start: start)
    _ = try reader.read(root)
    scripts = try reader.readScripts(root)
  }

  /// How much there is in it.
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
      // Each workspace has its default channel besides.
      channels: workspaces.map { $0.channels.count + 1 }.reduce(0, +), chats: chats.reduce(0, +), scripts: scripts.count
    )
  }

  /// What there is at a moment.
  package func planting(at moment: Int64) throws(SeedError) -> Planting {
    var reader = SeedReader(start: moment)
    return try reader.read(root)
  }
}

extension Seed {
  /// The seeds that come with the program.
  package enum Shipped: String, CaseIterable, Sendable {
    /// Nobody.
    case empty
    /// A few people, a workspace, channels, direct messages, pictures.
    case courtyard
    /// 200 people, 50 channels, 100,000 chats.
    case crowded
    /// What clients seldom meet: longest names, emoji, right-to-left, no pictures, rooms without chats, people who left.
    case edge

    /// As it is written.
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
