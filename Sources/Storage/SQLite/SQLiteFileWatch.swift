import Foundation
import Synchronization

/// A file, whatever path leads to it.
struct FileIdentity: Equatable, Sendable {
  let device: UInt64
  let inode: UInt64

  fileprivate init(_ status: stat) { (device, inode) = (UInt64(status.st_dev), UInt64(status.st_ino)) }

  /// Nil if the path leads to none.
  init?(path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    self.init(status)
  }
}

/// Compares the file that a database's connections have open with the one that its path leads to. A server that goes on with a
/// file that was moved away would write what its next start does not find.
final class SQLiteFileWatch: Sendable {
  private struct State {
    /// Nil until the first connection is open.
    var file: FileIdentity?
    /// The largest size that was seen, in bytes. SQLite never makes the file smaller here.
    var size: Int64 = 0
  }

  enum Problem {
    /// The path leads to another file, or to none: the open one is whole.
    case exchanged
    /// The open file was written over by another program.
    case overwritten
  }

  let path: String
  private let state = Mutex(State())

  init(path: String) { self.path = path }

  /// A connection was opened by the path. Throws `.exchanged` if that is another file than that of the others.
  func opened() throws(StorageError) {
    state.withLock { state in
      guard state.file == nil else { return }
      var status = stat()
      guard stat(path, &status) == 0 else { return }
      (state.file, state.size) = (FileIdentity(status), Int64(status.st_size))
    }
    if let problem { throw failure(problem) }
  }

  /// What is wrong now. It costs one look at the path.
  var problem: Problem? {
    state.withLock { state in
      // Under the lock: between the look and the comparison another connection could note that the file has grown.
      var status = stat()
      guard stat(path, &status) == 0 else { return errno == ENOENT ? .exchanged : nil }
      guard let file = state.file else { return nil }
      guard FileIdentity(status) == file else { return .exchanged }
      guard Int64(status.st_size) >= state.size else { return .overwritten }
      state.size = Int64(status.st_size)
      return nil
    }
  }

  /// Where the open file can be copied from when no directory has it any more. Nil if one has it, or on systems without /proc.
  private func onlyCopy(of file: FileIdentity) -> String? {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    for descriptor in names.compactMap({ Int32($0) }) {
      var status = stat()
      guard fstat(descriptor, &status) == 0, FileIdentity(status) == file else { continue }
      return status.st_nlink == 0 ? "/proc/\(getpid())/fd/\(descriptor)" : nil
    }
    return nil
  }

  var failureOfLog: StorageError {
    StorageError(
      .exchanged,
      "\(path)-wal was exchanged or removed while it was open. Nothing more is written. What was committed was brought into \(path): "
        + "start the server again")
  }

  func failure(_ problem: Problem) -> StorageError {
    switch problem {
    case .exchanged:
      let file = state.withLock { $0.file }
      let beginning =
        "\(path) was exchanged or removed while it was open. Nothing more is written. All that was acknowledged is in the former file"
      if let copy = file.flatMap(onlyCopy) {
        return StorageError(
          .exchanged,
          "\(beginning), which only this process still has: copy \(copy) before you stop the server. Then stop it, remove \(path)-wal "
            + "and \(path)-shm, put the copy at \(path), and start again")
      }
      let inode = file.map { " (inode \($0.inode))" } ?? ""
      return StorageError(
        .exchanged,
        "\(beginning)\(inode): stop the server, put that file back, and start again; or start with the file that is there now"
      )
    case .overwritten:
      return StorageError(
        .exchanged,
        "\(path) was made smaller by another program while it was open. Nothing more is written. Stop the server, keep copies of "
          + "\(path) and \(path)-wal, and start it again: after a VACUUM all is there. If it then refuses, restore the newest backup"
      )
    }
  }
}

extension Database {
  /// Whether the database's file was exchanged or written over while it was open, in words; nil if not, and on PostgreSQL.
  package var fileProblem: String? {
    guard let watch = source.fileWatch, let problem = watch.problem else { return nil }
    return watch.failure(problem).message
  }
}
