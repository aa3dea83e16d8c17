import Foundation
import Synchronization

/// The identity of a file, independent of its path.
struct FileIdentity: Equatable, Sendable {
  let device: UInt64
  let inode: UInt64

  fileprivate init(_ status: stat) { (device, inode) = (UInt64(status.st_dev), UInt64(status.st_ino)) }

  /// Nil if there is no file at the path.
  init?(path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    self.init(status)
  }
}

/// Compares the file that a database's connections have open with the file at its path. If the file was moved away, a server would write
/// data that its next start does not find.
final class SQLiteFileWatch: Sendable {
  private struct State {
    /// Nil until the first connection is open.
    var file: FileIdentity?
    /// The largest size so far, in bytes. SQLite never shrinks the file here.
    var size: Int64 = 0
  }

  enum Problem {
    /// The path has another file, or none. The open file is intact.
    case exchanged
    /// Another program overwrote the open file.
    case overwritten
  }

  let path: String
  private let state = Mutex(State())

  init(path: String) { self.path = path }

  /// Notes that a connection was opened by the path. Throws `.exchanged` if its file is not that of the earlier connections.
  func opened() throws(StorageError) {
    state.withLock { state in
      guard state.file == nil else { return }
      var status = stat()
      guard stat(path, &status) == 0 else { return }
      (state.file, state.size) = (FileIdentity(status), Int64(status.st_size))
    }
    if let problem { throw failure(problem) }
  }

  /// The current problem, found by one `stat` of the path.
  var problem: Problem? {
    state.withLock { state in
      // Under the lock: otherwise another connection could record a larger size between `stat` and the comparison.
      var status = stat()
      guard stat(path, &status) == 0 else { return errno == ENOENT ? .exchanged : nil }
      guard let file = state.file else { return nil }
      guard FileIdentity(status) == file else { return .exchanged }
      guard Int64(status.st_size) >= state.size else { return .overwritten }
      state.size = Int64(status.st_size)
      return nil
    }
  }

  /// A path from which the open file can be copied when no directory contains it any longer. Nil if a directory contains it, or on systems
  /// without /proc.
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
      "\(path)-wal was replaced or removed while it was open. Writes are refused. Committed data was moved into \(path): "
        + "start the server again")
  }

  func failure(_ problem: Problem) -> StorageError {
    switch problem {
    case .exchanged:
      let file = state.withLock { $0.file }
      let beginning =
        "\(path) was replaced or removed while it was open. Writes are refused. All confirmed changes are in the former file"
      if let copy = file.flatMap(onlyCopy) {
        return StorageError(
          .exchanged,
          "\(beginning), which only this process still has: copy \(copy) before you stop the server. Then stop it, remove \(path)-wal "
            + "and \(path)-shm, put the copy at \(path), and start again")
      }
      let inode = file.map { " (inode \($0.inode))" } ?? ""
      return StorageError(
        .exchanged,
        "\(beginning)\(inode): stop the server, put that file back, and start again; or start with the present file"
      )
    case .overwritten:
      return StorageError(
        .exchanged,
        "\(path) was made smaller by another program while it was open. Writes are refused. Stop the server, keep copies of "
          + "\(path) and \(path)-wal, and start it again: after a VACUUM all data is there. If the server then does not start, restore the newest backup"
      )
    }
  }
}
