import Foundation
import MadangDevelopment

/// How a world begins.
public struct MadangSeed: Sendable {
  private enum Source {
    case shipped(Seed.Shipped)
    case text(String, name: String)
    case file(URL)
  }

  private let source: Source

  /// Nobody.
  public static let empty = MadangSeed(source: .shipped(.empty))
  /// A few people, a workspace, channels, direct messages, pictures: `mina@example.com`, `joon@example.com` and others.
  public static let courtyard = MadangSeed(source: .shipped(.courtyard))
  /// 200 people, 50 channels, 100,000 chats.
  public static let crowded = MadangSeed(source: .shipped(.crowded))
  /// What clients seldom meet: longest names, emoji, right-to-left, no pictures, rooms without chats, people who left.
  public static let edge = MadangSeed(source: .shipped(.edge))

  /// A seed written out in YAML or JSON.
  public static func text(_ text: String, name: String = "seed") -> MadangSeed {
    MadangSeed(source: .text(text, name: name))
  }

  /// A file with a seed in YAML or JSON. It is read when a world is made.
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
      throw MadangTestingError(description: "the seed cannot be read: \(error)")
    }
  }
}
