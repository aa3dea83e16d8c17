import Foundation
import MadangDevelopment

/// Seeds in files.
enum SeedFile {
  /// Throws ``Failure`` with the file, the line and the cure.
  static func read(_ text: String, from path: String) throws -> Seed {
    do {
      return try Seed(text, name: URL(filePath: path).deletingPathExtension().lastPathComponent)
    } catch {
      throw Failure("\(path): \(error)")
    }
  }
}
