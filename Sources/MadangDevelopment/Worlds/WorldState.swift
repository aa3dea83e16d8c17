import Foundation
import MadangCore

/// A world at one moment: its database, files and secrets in a directory of their own, that nobody writes to any more and that is
/// removed with this; and where its clock and its ids were.
final class WorldState: Sendable {
  /// Where a clock was.
  enum Time {
    /// Milliseconds since 1970, and how fast it ran.
    case at(Int64, rate: Double)
    /// Milliseconds by which it was ahead of the real time, with which it ran.
    case ahead(Int64)
  }

  let folder: URL
  let time: Time
  /// Where its ids go on; nil where nobody is to know them.
  let ids: UInt64?

  init(folder: URL, time: Time, ids: UInt64?) { (self.folder, self.time, self.ids) = (folder, time, ids) }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func set(_ clock: Clock) {
    switch time {
    case .at(let moment, let rate):
      clock.run(at: rate)
      clock.set(moment)
    case .ahead(let milliseconds):
      clock.run(at: 1)
      clock.set(Clock.systemTime() + milliseconds)
    }
  }

  func makeRandom() -> SeededRandom { SeededRandom(ids ?? .random(in: 0...(.max))) }

  /// Copies it to a directory that is not there yet. Files are not copied but linked: none is ever changed.
  func copy(to target: URL) throws {
    try FileManager.default.createDirectory(
      at: target, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    try FileManager.default.copyItem(at: Self.database(in: folder), to: Self.database(in: target))
    for name in ["files", "secrets"] {
      try Self.link(folder.appending(path: name), to: target.appending(path: name))
    }
  }

  static func database(in folder: URL) -> URL { folder.appending(path: "madang.sqlite") }

  /// Makes a directory of the same files as another one.
  static func link(_ source: URL, to target: URL) throws {
    try FileManager.default.createDirectory(
      at: target, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    for name in try FileManager.default.contentsOfDirectory(atPath: source.path) {
      let (from, to) = (source.appending(path: name), target.appending(path: name))
      let type = try FileManager.default.attributesOfItem(atPath: from.path)[.type] as? FileAttributeType
      if type == .typeDirectory {
        try Self.link(from, to: to)
      } else {
        try FileManager.default.linkItem(at: from, to: to)
      }
    }
  }
}
