import Foundation
import Storage

/// Where the worlds of this process are: in memory where the system has a place for that, else in the temporary directory. Gone
/// with the process; what one that was killed has left, the next one removes.
final class WorldsFolder: Sendable {
  private static let prefix = "madang-worlds-"
  /// Of one that has no lock yet.
  private static let draftPrefix = "madang-new-world-"
  /// How long one is without, at most.
  private static let draftTime: TimeInterval = 60

  let url: URL
  private let lock: FileLock

  init() throws {
    // Also where this one will not be: what others have left may be why there is no room.
    for place in [Self.memory, FileManager.default.temporaryDirectory] { Self.removeAbandoned(in: place) }
    let place = Self.place
    let id = UUID().uuidString.lowercased()
    url = place.appending(path: Self.prefix + id, directoryHint: .isDirectory)
    // Nobody else takes it for abandoned before it is locked: it has another name until then.
    let draft = place.appending(path: Self.draftPrefix + id, directoryHint: .isDirectory)
    try FileManager.default.makeOwnDirectory(draft)
    lock = FileLock(path: draft.appending(path: "lock").path)
    _ = try lock.takeAlone()
    try FileManager.default.moveItem(at: draft, to: url)
  }

  deinit { remove() }

  func remove() { FileManager.default.removeDirectory(url) }

  /// In bytes. Containers have 64 MB of such memory unless they are given more.
  private static let leastRoom: UInt64 = 1 << 30

  private static let memory = URL(filePath: "/dev/shm", directoryHint: .isDirectory)

  /// In memory, where there is room for worlds.
  private static var place: URL {
    var room = statvfs()
    let isRoomy =
      access(memory.path, R_OK | W_OK | X_OK) == 0 && statvfs(memory.path, &room) == 0
      && UInt64(room.f_bavail) * UInt64(room.f_frsize) >= leastRoom
    return isRoomy ? memory : FileManager.default.temporaryDirectory
  }

  /// Those whose process does not hold their lock any more.
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
    // Another user's is not to be opened.
    return FileManager.default.fileExists(atPath: file) && (try? FileLock(path: file).takeAlone()) ?? false
  }

  private static func isOld(_ folder: URL) -> Bool {
    let changed = try? folder.resourceValues(forKeys: [.contentModificationDateKey]).contentModificationDate
    return changed.map { Date.now.timeIntervalSince($0) > draftTime } ?? false
  }
}
