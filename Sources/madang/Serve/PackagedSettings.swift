import Foundation

/// The settings of the server that the package installed, for commands that name no other server.
enum PackagedSettings {
  #if DEBUG
    /// A prefix of all paths of the package, for tests. Optimised programs have none: root would follow a variable of another user.
    static var root: String { ProcessInfo.processInfo.environment["MADANG_TEST_ROOT"] ?? "" }
  #else
    static let root = ""
  #endif
  static var file: String { root + "/etc/madang/madang.json" }

  /// Settings that choose whose data a command works on.
  private static let places = ["data", "database.url", "files.home"]

  /// The package's settings file; nil if there is none, or if command line or environment name the data.
  /// - Throws: ``Failure`` if this user may not read it, and there is no other server.
  static func find(
    flags: [String: String], environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws -> String? {
    guard places.allSatisfy({ flags[$0] == nil && environment[SettingNames.variable($0)] == nil }) else { return nil }
    let isReadable = access(file, R_OK) == 0
    let reason = errno
    guard isReadable || reason == EACCES else { return nil }
    let hasLocalData = FileManager.default.fileExists(atPath: "madang-data/madang.sqlite")
    guard isReadable else {
      if hasLocalData { return nil }
      throw Failure(
        "\(file) cannot be read by \(NSUserName()): run the command as root, for example with sudo, or name another server's "
          + "data with --data")
    }
    if hasLocalData {
      Terminal.message("This is about the server of \(file); for ./madang-data add --data madang-data.")
    }
    return file
  }
}
