import Foundation
import MadangCore
import MadangServer
import Storage

/// A saved state of a world: copies of its database, files and secrets that are never changed and are removed with this
/// object, and the state of its clock and its ids.
final class WorldState: Sendable {
  /// The state of a clock.
  enum Time {
    /// Milliseconds since 1970, and its rate.
    case at(Int64, rate: Double)
    /// Milliseconds ahead of real time, at the rate of real time.
    case ahead(Int64)
  }

  let folder: URL
  let time: Time
  /// The state of its ids; nil if they are random.
  let ids: UInt64?
  /// The state of its stand-ins; nil if they are new.
  let standIns: StandIns.Moment?

  init(folder: URL, time: Time, ids: UInt64?, _ standIns: StandIns.Moment? = nil) {
    (self.folder, self.time, self.ids, self.standIns) = (folder, time, ids, standIns)
  }

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

  /// Copies it to a directory that does not exist yet. Files are linked instead of copied, because they never change.
  func copy(to target: URL) throws {
    try FileManager.default.makeOwnDirectory(target)
    try FileManager.default.copyFile(at: Self.database(in: folder), to: Self.database(in: target))
    try Self.linkFiles(of: folder, to: target)
  }

  /// Whether a copy may have failed because its files were removed.
  static func mayBeGone(by error: any Error) -> Bool {
    guard let error = error as? CocoaError else { return false }
    return [.fileNoSuchFile, .fileReadNoSuchFile].contains(error.code)
  }

  static func database(in folder: URL) -> URL { folder.appending(path: "madang.sqlite") }

  /// Links the files and secrets of one directory into another one.
  static func linkFiles(of folder: URL, to target: URL) throws {
    for name in ["files", "secrets"] { try link("\(folder.path)/\(name)", to: "\(target.path)/\(name)") }
  }

  /// Fills a directory with links to the files of another one, except files that are being received or removed. By paths,
  /// because creating a `URL` for each takes longer than linking the file.
  private static func link(_ source: String, to target: String) throws {
    let files = FileManager.default
    try files.makeOwnDirectory(target)
    for name in try files.contentsOfDirectory(atPath: source) where name != "uploads" {
      let (from, to) = ("\(source)/\(name)", "\(target)/\(name)")
      var isDirectory: ObjCBool = false
      guard files.fileExists(atPath: from, isDirectory: &isDirectory) else { continue }
      if isDirectory.boolValue {
        try link(from, to: to)
      } else {
        do { try files.linkItem(atPath: from, toPath: to) } catch {
          if files.fileExists(atPath: from) { throw error }
        }
      }
    }
  }
}

extension FileManager {
  /// In bytes.
  private static let pieceSize = 64 * 1024

  /// Copies a file that is not being written to a new path, for its owner only. Foundation copies page by page, which takes
  /// twice as long. Throws `CocoaError` with the path of the failing file.
  fileprivate func copyFile(at source: URL, to target: URL) throws {
    let from = try FileHandle(forReadingFrom: source)
    defer { try? from.close() }
    try Data().write(to: target, options: .withoutOverwriting)
    try setAttributes([.posixPermissions: 0o600], ofItemAtPath: target.path)
    let to = try FileHandle(forWritingTo: target)
    var piece = [UInt8](repeating: 0, count: Self.pieceSize)
    while true {
      let count = read(from.fileDescriptor, &piece, piece.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw CocoaError(.fileReadUnknown, userInfo: [NSFilePathErrorKey: source.path]) }
      do {
        // Only here a full disk may be reported.
        if count == 0 { return try to.close() }
        try to.write(contentsOf: piece.prefix(count))
      } catch let error as CocoaError {
        throw CocoaError(error.code, userInfo: [NSFilePathErrorKey: target.path])
      }
    }
  }
}
