import Foundation

/// The environment variables that client commands read.
struct Environment {
  let server: String?
  let key: String?
  /// The URL of the development server.
  let devServer: String?
  let devToken: String?
  /// Certificate authorities to trust in addition to the system's.
  let caFile: String?
  /// The profile to use: a name or a path.
  let profile: String?
  /// The folder of named profiles.
  let profiles: URL
  /// The folder of the local history of 'chat'.
  let history: URL
  let wantsColour: Bool

  static let current = Environment(ProcessInfo.processInfo.environment)

  private init(_ variables: [String: String]) {
    func value(_ name: String) -> String? { variables[name].flatMap { $0.isEmpty ? nil : $0 } }
    server = value("MADANG_SERVER")
    key = value("MADANG_KEY")
    devServer = value("MADANG_DEV_URL")
    devToken = value("MADANG_DEV_TOKEN")
    caFile = value("MADANG_CA_FILE")
    profile = value("MADANG_PROFILE")
    wantsColour = value("NO_COLOR") == nil
    func folder(_ variable: String, _ standard: String) -> URL {
      let home = value("HOME").map { URL(filePath: $0) } ?? FileManager.default.homeDirectoryForCurrentUser
      return (value(variable).map { URL(filePath: $0) } ?? home.appending(path: standard)).appending(path: "madang")
    }
    profiles = folder("XDG_CONFIG_HOME", ".config").appending(path: "profiles")
    history = folder("XDG_DATA_HOME", ".local/share").appending(path: "history")
  }
}
