import Foundation
import MadangDevelopment

/// The initial content of a world.
public struct MadangSeed: Sendable {
  private enum Source {
    case shipped(Seed.Shipped)
    case text(String, name: String)
    case file(URL)
  }

  private let source: Source

  /// No people and no rooms.
  public static let empty = MadangSeed(source: .shipped(.empty))
  /// A few people, a workspace, channels, direct messages, pictures: `mina@example.com`, `joon@example.com` and others.
  public static let courtyard = MadangSeed(source: .shipped(.courtyard))
  /// 200 people, 50 channels, 100,000 chats.
  public static let crowded = MadangSeed(source: .shipped(.crowded))
  /// Rare cases: longest names, emoji, right-to-left text, no pictures, rooms without chats, people who left.
  public static let edge = MadangSeed(source: .shipped(.edge))

  /// A seed as YAML or JSON text.
  public static func text(_ text: String, name: String = "seed") -> MadangSeed {
    MadangSeed(source: .text(text, name: name))
  }

  /// A file with a seed in YAML or JSON. It is read when a world is created.
  public static func file(_ url: URL) -> MadangSeed { MadangSeed(source: .file(url)) }

  /// Throws ``MadangTestingError`` with the line and the cause.
  func read() throws -> Seed {
    do {
      switch source {
      case .shipped(let shipped): return try Seed(shipped)
      case .text(let text, let name): return try Seed(text, name: name)
      case .file(let url):
        return try Seed(
          String(contentsOf: url, encoding: .utf8), name: url.deletingPathExtension().lastPathComponent)
      }
    } catch let error as SeedError {
      throw MadangTestingError(description: "seed: \(error)")
    } catch {
      throw MadangTestingError(description: "the seed cannot be read: \(error.localizedDescription)")
    }
  }
}
