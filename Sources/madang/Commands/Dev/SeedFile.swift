import Foundation
import MadangDevelopment

/// Reads seeds from files.
enum SeedFile {
  /// Throws ``Failure`` with file, line and cure.
  static func read(_ text: String, from path: String) throws -> Seed {
    do {
      return try Seed(text, name: URL(filePath: path).deletingPathExtension().lastPathComponent)
    } catch {
      throw Failure("\(path): \(error)")
    }
  }
}
