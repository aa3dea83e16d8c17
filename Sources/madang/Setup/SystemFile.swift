import Foundation

/// Files of the system: written completely or not at all, for root and the group of the server's user.
struct SystemFile {
  let path: String
  /// The server's user; its group may read the file.
  let reader: String?

  /// Replaces the file and makes it durable. Throws ``Failure``.
  func write(_ bytes: Data) throws {
    let new = path + ".new"
    // A leftover of an interrupted call.
    unlink(new)
    let descriptor = open(new, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw failure }
    let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    do {
      try handle.write(contentsOf: bytes)
      try grant(descriptor)
      try handle.synchronize()
    } catch {
      unlink(new)
      throw error as? Failure ?? Failure("\(path) cannot be written: \(FileProblem.words(of: error))")
    }
    guard rename(new, path) == 0 else {
      let problem = failure
      unlink(new)
      throw problem
    }
    let directory = open(URL(filePath: path).deletingLastPathComponent().path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    defer { close(directory) }
    guard directory >= 0, fsync(directory) == 0 else { throw failure }
  }

  private func grant(_ descriptor: Int32) throws {
    guard let reader, let user = getpwnam(reader)?.pointee else { return }
    // Only root can give files away; tests in a folder need not be root.
    if geteuid() == 0 { guard fchown(descriptor, 0, user.pw_gid) == 0 else { throw failure } }
    guard fchmod(descriptor, 0o640) == 0 else { throw failure }
  }

  private var failure: Failure { Failure("\(path) cannot be written: \(String(cString: strerror(errno)))") }
}
