import Foundation
import Storage

/// Why an operation on worlds failed, in words for testers.
package struct WorldError: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}

extension WorldError {
  /// An error of files or an embedded database in words, with path, cause and cure; otherwise the error itself.
  /// - Parameter folder: The directory of the files.
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
  /// Creates a directory that only its owner can read and that does not exist yet.
  func makeOwnDirectory(_ url: URL) throws { try makeOwnDirectory(url.path) }

  /// Creates such a directory at a path.
  func makeOwnDirectory(_ path: String) throws {
    try createDirectory(atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
  }

  /// Removes a directory with its content as far as possible. `removeItem` fails if another process has just removed a
  /// file, so this tries five times.
  func removeDirectory(_ url: URL) {
    for _ in 0..<5 where fileExists(atPath: url.path) { try? removeItem(at: url) }
  }
}
