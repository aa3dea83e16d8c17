import Foundation
import MadangCore
import MadangServer
import Storage

/// A world at one moment: its database, files and secrets in places of their own, that nobody writes to any more and that are
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
  /// The database on PostgreSQL; nil for the one in the folder.
  let database: WorldDatabase?
  let time: Time
  /// Where its ids go on; nil where nobody is to know them.
  let ids: UInt64?
  let standIns: StandIns

  init(
    folder: URL, _ database: WorldDatabase?, time: Time, ids: UInt64?, _ standIns: StandIns = StandIns()
  ) {
    (self.folder, self.database, self.time, self.ids, self.standIns) = (folder, database, time, ids, standIns)
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

  /// Copies it to a directory that is not there yet. Files are not copied but linked: none is ever changed. Answers the copy of
  /// the database on PostgreSQL.
  func copy(to target: URL) async throws -> WorldDatabase? {
    try FileManager.default.makeOwnDirectory(target)
    if database == nil {
      try FileManager.default.copyFile(at: Self.database(in: folder), to: Self.database(in: target))
    }
    try Self.linkFiles(of: folder, to: target)
    return try await database?.copy()
  }

  /// Whether an error when it was copied may be because somebody removed its files or its database.
  func mayBeGone(by error: any Error) -> Bool {
    switch error {
    case let error as CocoaError: [.fileNoSuchFile, .fileReadNoSuchFile].contains(error.code)
    case is StorageError: database != nil
    default: false
    }
  }

  static func database(in folder: URL) -> URL { folder.appending(path: "madang.sqlite") }

  /// Has the files and secrets of one directory in another one, too.
  static func linkFiles(of folder: URL, to target: URL) throws {
    for name in ["files", "secrets"] { try link("\(folder.path)/\(name)", to: "\(target.path)/\(name)") }
  }

  /// Makes a directory of the same files as another one, but for those that are being received, and those that go meanwhile. By paths:
  /// to make a `URL` of each takes longer than to link the file.
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

  /// Copies a file that nobody writes to, to a place where none is, for the owner alone. Foundation copies and reads page by page, which
  /// takes twice as long. Throws `CocoaError` with the path of the file that is concerned.
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
        // A full disk may be told as late as this.
        if count == 0 { return try to.close() }
        try to.write(contentsOf: piece.prefix(count))
      } catch let error as CocoaError {
        throw CocoaError(error.code, userInfo: [NSFilePathErrorKey: target.path])
      }
    }
  }
}
