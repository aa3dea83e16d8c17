// Some builds take the fields of `stat` from CoreFoundation, others from Glibc, which Foundation exports.
import CoreFoundation
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
    self.init(directory, status.st_uid, status.st_gid, getpwuid(status.st_uid)?.pointee)
  }

  /// Nil if there is no user of this name.
  private init?(of directory: URL, named name: String) {
    guard let entry = getpwnam(name)?.pointee else { return nil }
    self.init(directory, entry.pw_uid, entry.pw_gid, entry)
  }

  private init(_ directory: URL, _ user: uid_t, _ group: gid_t, _ entry: passwd?) {
    (self.directory, self.user) = (directory, user)
    name = entry.map { String(cString: $0.pw_name) } ?? "\(user)"
    self.group = entry?.pw_gid ?? group
    home = entry.map { String(cString: $0.pw_dir) } ?? directory.path
  }

  /// The user of the package's service.
  private static let service = "madang"

  /// Makes a data directory that does not exist, if root calls: for the user with this name, else for the owner of the directory around it,
  /// else for the package's user, else for root.
  static func make(_ directory: URL, for name: String?) throws {
    var status = stat()
    guard geteuid() == 0, stat(directory.path, &status) != 0 else { return }
    let parent = directory.standardizedFileURL.deletingLastPathComponent()
    try make(parent, for: name)
    let owner: DataOwner?
    if let name {
      owner = DataOwner(of: directory, named: name)
      if owner == nil { throw Failure("--owner: there is no user \(name)") }
    } else {
      let around = DataOwner(of: parent)
      owner = around?.user == 0 ? DataOwner(of: directory, named: service) : around
    }
    guard let owner, owner.user != 0 else { return }
    guard setegid(owner.group) == 0 else { throw owner.refusal }
    defer { setegid(0) }
    try owner.prepare(directory)
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
    guard owner.user != 0 else {
      try refuseOpenDirectory(directory)
      return nil
    }
    try owner.become(output)
    return owner
  }

  /// Throws if another user may decide what is in a directory of root: root would work on the database and the links of that user.
  private static func refuseOpenDirectory(_ directory: URL) throws {
    var (status, link) = (stat(), stat())
    guard stat(directory.path, &status) == 0, lstat(directory.path, &link) == 0 else { return }
    let isOpen = status.st_mode & 0o002 != 0 || status.st_mode & 0o020 != 0 && status.st_gid != 0
    guard isOpen || link.st_uid != 0 else { return }
    throw Failure(
      "\(directory.path) belongs to root, and other users can replace what is in it: give it to the server's user alone (chown, "
        + "chmod 700), or run the command as another user than root")
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

  /// Creates a directory for the owner, unless it exists: as the owner if possible, else as root.
  private func prepare(_ output: URL) throws {
    let parent = output.deletingLastPathComponent().path + "/."
    guard seteuid(user) == 0 else { throw refusal }
    var status = stat()
    let isReachable = stat(parent, &status) == 0
    let isMade = isReachable && mkdir(output.path, 0o700) == 0
    guard seteuid(0) == 0 else { throw refusal }
    if isMade { return }
    guard isReachable else {
      throw Failure(
        "\(output.path) cannot be reached by the user \(name), who must write there: name a directory elsewhere, for example in "
          + "\(output == directory ? "/var" : "/var/backups")")
    }
    // Elsewhere another user could replace the directory before it is given away.
    guard status.st_uid == 0, status.st_mode & 0o022 == 0, mkdir(output.path, 0o700) == 0 else { return }
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
