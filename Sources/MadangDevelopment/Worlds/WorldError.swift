import Foundation
import Storage

/// Why something cannot be done with worlds, in words for who tests.
package struct WorldError: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}

extension WorldError {
  /// In words what files or an embedded database threw, with the path, the cause and the cure; else the error itself.
  /// - Parameter folder: Where they were used.
  static func ofFiles(_ error: any Error, in folder: URL) -> any Error {
    switch error {
    case let error as CocoaError:
      let path = error.filePath ?? error.url?.path ?? folder.path
      switch error.code {
      case .fileWriteOutOfSpace:
        return WorldError("\(path): the disk is full; remove worlds or snapshots, or make room there")
      case .fileWriteNoPermission, .fileReadNoPermission:
        return WorldError("\(path): no permission; give the server's user write access")
      case .fileWriteVolumeReadOnly:
        return WorldError("\(path): the file system is read-only; mount it for writing, or set TMPDIR")
      case .fileNoSuchFile, .fileReadNoSuchFile:
        return WorldError("\(path): is missing; another program removed files of worlds. Create the world again")
      case .fileWriteFileExists:
        return WorldError("\(path): already exists; another program created it. Remove it")
      default:
        return WorldError("\(path): \(error.localizedDescription); fix that, and create the world again")
      }
    case let error as StorageError where error.code == .diskFull:
      return WorldError("\(folder.path): the disk is full; remove worlds or snapshots, or make room there")
    case let error as StorageError:
      return WorldError("\(folder.path): the database cannot be used: \(error.message)")
    default: return error
    }
  }
}

extension FileManager {
  /// Makes a directory that nobody else may read and that is not there yet.
  func makeOwnDirectory(_ url: URL) throws { try makeOwnDirectory(url.path) }

  /// The same, by its path.
  func makeOwnDirectory(_ path: String) throws {
    try createDirectory(atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
  }

  /// Removes a directory with all that it has, as far as it can. `removeItem` ends at the first file that somebody else has just removed: it
  /// is tried five times.
  func removeDirectory(_ url: URL) {
    for _ in 0..<5 where fileExists(atPath: url.path) { try? removeItem(at: url) }
  }
}
