import Foundation
import Storage

/// Where the worlds of this process are: in memory where the system has a place for that, else in the temporary directory. Gone
/// with the process; what one that was killed has left, the next one removes.
final class WorldsFolder: Sendable {
  private static let prefix = "madang-worlds-"

  let url: URL
  private let lock: FileLock

  init() throws {
    let place = Self.place
    Self.removeAbandoned(in: place)
    let id = UUID().uuidString.lowercased()
    url = place.appending(path: Self.prefix + id, directoryHint: .isDirectory)
    // Nobody else takes it for abandoned before it is locked: it has another name until then.
    let draft = place.appending(path: "madang-new-world-" + id, directoryHint: .isDirectory)
    try FileManager.default.makeOwnDirectory(draft)
    lock = FileLock(path: draft.appending(path: "lock").path)
    _ = try lock.takeAlone()
    try FileManager.default.moveItem(at: draft, to: url)
  }

  deinit { remove() }

  func remove() { try? FileManager.default.removeItem(at: url) }

  /// In bytes. Containers have 64 MB of such memory unless they are given more.
  private static let leastRoom: UInt64 = 1 << 30

  /// In memory, where there is room for worlds.
  private static var place: URL {
    let memory = URL(filePath: "/dev/shm", directoryHint: .isDirectory)
    var room = statvfs()
    let isRoomy =
      access(memory.path, R_OK | W_OK | X_OK) == 0 && statvfs(memory.path, &room) == 0
      && UInt64(room.f_bavail) * UInt64(room.f_frsize) >= leastRoom
    return isRoomy ? memory : FileManager.default.temporaryDirectory
  }

  /// Those whose process does not hold their lock any more.
  private static func removeAbandoned(in place: URL) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: place.path)) ?? []
    for name in names where name.hasPrefix(prefix) {
      let folder = place.appending(path: name)
      let file = folder.appending(path: "lock").path
      // Another user's is not to be opened.
      guard FileManager.default.fileExists(atPath: file), (try? FileLock(path: file).takeAlone()) ?? false
      else { continue }
      try? FileManager.default.removeItem(at: folder)
    }
  }
}
