import Foundation
import Storage

/// The directory of this process's worlds: in memory if the system has such a place, otherwise in the temporary directory.
/// It is removed with the process; leftovers of a killed process are removed by the next one.
final class WorldsFolder: Sendable {
  private static let prefix = "madang-worlds-"
  /// The suffix of a folder without a lock yet.
  private static let draftPrefix = "madang-new-world-"
  /// How long a folder may be without a lock.
  private static let draftTime: TimeInterval = 60

  let url: URL
  private let lock: FileLock

  /// Throws ``WorldError``.
  init() throws {
    // Also in the places that this one will not use: leftovers may be the reason for a lack of room.
    for place in [Self.memory, FileManager.default.temporaryDirectory] { Self.removeAbandoned(in: place) }
    let place = Self.place
    let id = UUID().uuidString.lowercased()
    url = place.appending(path: Self.prefix + id, directoryHint: .isDirectory)
    // It has another name until it is locked, so that no other process takes it for abandoned.
    let draft = place.appending(path: Self.draftPrefix + id, directoryHint: .isDirectory)
    lock = FileLock(path: draft.appending(path: "lock").path)
    do {
      try FileManager.default.makeOwnDirectory(draft)
      _ = try lock.takeAlone()
      try FileManager.default.moveItem(at: draft, to: url)
    } catch { throw WorldError.ofFiles(error, in: place) }
  }

  deinit { remove() }

  func remove() { FileManager.default.removeDirectory(url) }

  /// In bytes. Containers have 64 MB of such memory by default.
  private static let leastRoom: UInt64 = 1 << 30

  private static let memory = URL(filePath: "/dev/shm", directoryHint: .isDirectory)

  /// In memory, if there is room for worlds.
  private static var place: URL {
    var room = statvfs()
    let isRoomy =
      access(memory.path, R_OK | W_OK | X_OK) == 0 && statvfs(memory.path, &room) == 0
      && UInt64(room.f_bavail) * UInt64(room.f_frsize) >= leastRoom
    return isRoomy ? memory : FileManager.default.temporaryDirectory
  }

  /// Folders whose process no longer holds their lock.
  private static func removeAbandoned(in place: URL) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: place.path)) ?? []
    for name in names {
      let folder = place.appending(path: name)
      if name.hasPrefix(prefix) && isUnlocked(folder) || name.hasPrefix(draftPrefix) && isOld(folder) {
        FileManager.default.removeDirectory(folder)
      }
    }
  }

  private static func isUnlocked(_ folder: URL) -> Bool {
    let file = folder.appending(path: "lock").path
    // Folders of other users are not opened.
    return FileManager.default.fileExists(atPath: file) && (try? FileLock(path: file).takeAlone()) ?? false
  }

  private static func isOld(_ folder: URL) -> Bool {
    let changed = try? folder.resourceValues(forKeys: [.contentModificationDateKey]).contentModificationDate
    return changed.map { Date.now.timeIntervalSince($0) > draftTime } ?? false
  }
}
