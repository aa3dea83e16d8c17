import Foundation
import MadangAPI
import MadangCore

/// A profile on disk, readable by its owner only. Safe against concurrent changes by several processes.
struct ProfileFile: Sendable {
  let url: URL

  /// - Parameter name: A name, or a path, which contains a `/`.
  init(named name: String) {
    url = name.contains("/") ? URL(filePath: name) : Environment.current.profiles.appending(path: name + ".json")
  }

  private init(_ url: URL) { self.url = url }

  /// All named profiles, ordered by name.
  static func all() throws -> [ProfileFile] {
    let folder = Environment.current.profiles
    guard FileManager.default.fileExists(atPath: folder.path) else { return [] }
    return try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".json") }.sorted()
      .map { ProfileFile(folder.appending(path: $0)) }
  }

  var name: String { url.deletingPathExtension().lastPathComponent }

  /// The profile; nil if the file does not exist.
  func load() throws -> Profile? {
    guard let data = FileManager.default.contents(atPath: url.path) else { return nil }
    do {
      return try JSONDecoder().decode(Profile.self, from: data)
    } catch {
      throw Failure("\(url.path) is not a profile: move it away and sign in again")
    }
  }

  /// Stores or removes the tokens of the session with `server`. Tokens of another server stay unchanged.
  func keep(_ tokens: Edition2024_10.Tokens?, of server: String) throws {
    try update { profile in
      if profile?.server == server { profile?.tokens = tokens }
    }
  }

  /// Changes the profile under a lock.
  func update(_ change: (inout Profile?) throws -> Void) throws {
    let folder = url.deletingLastPathComponent()
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let lock = open(url.path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard lock >= 0, flock(lock, LOCK_EX) == 0 else {
      throw Failure("\(url.path) cannot be written: \(String(cString: strerror(errno)))")
    }
    defer { close(lock) }
    var profile = try load()
    try change(&profile)
    if let profile { try write(profile) }
  }

  private func write(_ profile: Profile) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    let data = try encoder.encode(profile)
    do throws(PrivateFileProblem) {
      try PrivateFile(url.path).replace(with: data)
    } catch { throw Failure(error.description) }
  }
}
