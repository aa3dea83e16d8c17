import Foundation

/// The user to whom a server's data belongs. Root works on it as this user: the server could not write files that root leaves there.
struct DataOwner {
  let name: String
  private let user: uid_t
  private let group: gid_t
  private let home: String
  private let directory: URL

  /// Nil if the directory does not exist.
  init?(of directory: URL) {
    var status = stat()
    guard stat(directory.path, &status) == 0 else { return nil }
    self.directory = directory
    user = status.st_uid
    let entry = getpwuid(status.st_uid)?.pointee
    name = entry.map { String(cString: $0.pw_name) } ?? "\(status.st_uid)"
    group = entry?.pw_gid ?? status.st_gid
    home = entry.map { String(cString: $0.pw_dir) } ?? directory.path
  }

  /// Makes this process the owner of a data directory, if root runs it. Changes nothing if the directory does not exist, or belongs to this
  /// user. Must be called before anything of the data is opened.
  /// - Parameter output: A directory in which the command will write. Root makes it for the owner if it does not exist.
  /// - Returns: The owner that this process became; nil if it stays the same user.
  /// - Throws: ``Failure`` if this user can neither use the data nor become its owner.
  @discardableResult
  static func become(of directory: URL, output: URL? = nil) throws -> DataOwner? {
    guard let owner = DataOwner(of: directory) else { return nil }
    guard geteuid() == 0 else {
      if owner.user != geteuid(), access(directory.path, R_OK | W_OK | X_OK) != 0 {
        throw Failure(
          "\(directory.path) belongs to the user \(owner.name), and this command runs as \(NSUserName()): run it as root, for "
            + "example with sudo")
      }
      return nil
    }
    guard owner.user != 0 else { return nil }
    try owner.become(output)
    return owner
  }

  private func become(_ output: URL?) throws {
    // The groups come first: without root's user id they cannot be changed.
    guard setGroups(), setgid(group) == 0 else { throw refusal }
    if let output { try prepare(output) }
    guard setuid(user) == 0 else { throw refusal }
    for (variable, value) in [("HOME", home), ("USER", name), ("LOGNAME", name)] { setenv(variable, value, 1) }
  }

  private func setGroups() -> Bool {
    #if canImport(Darwin)
      initgroups(name, Int32(group)) == 0
    #else
      initgroups(name, group) == 0
    #endif
  }

  private var refusal: Failure {
    Failure(
      "\(directory.path) belongs to the user \(name), and this process may not become that user "
        + "(\(String(cString: strerror(errno)))): run the command as that user")
  }

  /// Creates a directory for the owner, unless it exists.
  private func prepare(_ output: URL) throws {
    guard seteuid(user) == 0 else { throw refusal }
    var status = stat()
    let isReachable = stat(output.deletingLastPathComponent().path + "/.", &status) == 0
    guard seteuid(0) == 0 else { throw refusal }
    guard isReachable else {
      throw Failure(
        "\(output.path) cannot be reached by the user \(name), who owns \(directory.path) and writes there: name a directory "
          + "elsewhere, for example in /var/backups")
    }
    guard mkdir(output.path, 0o700) == 0 else { return }
    let descriptor = open(output.path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    defer { close(descriptor) }
    guard descriptor >= 0, fchown(descriptor, user, group) == 0 else {
      throw Failure("\(output.path) cannot be given to the user \(name): \(String(cString: strerror(errno)))")
    }
  }

  /// The message of an error, with what to do if root named a path that the owner may not use.
  func explaining(_ message: String) -> String {
    guard message.contains(String(cString: strerror(EACCES))) else { return message }
    return message
      + "\nthe command works as the user \(name), who owns \(directory.path): name a path that this user may use, for example in /tmp"
  }
}
