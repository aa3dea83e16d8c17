import Foundation

/// What the client commands read from the environment, at one place.
struct Environment {
  let server: String?
  let key: String?
  /// The profile to use: a name, or a path.
  let profile: String?
  /// Where profiles with a name are kept.
  let profiles: URL
  let wantsColour: Bool

  static let current = Environment(ProcessInfo.processInfo.environment)

  private init(_ variables: [String: String]) {
    func value(_ name: String) -> String? { variables[name].flatMap { $0.isEmpty ? nil : $0 } }
    server = value("MADANG_SERVER")
    key = value("MADANG_KEY")
    profile = value("MADANG_PROFILE")
    wantsColour = value("NO_COLOR") == nil
    let folder =
      value("XDG_CONFIG_HOME").map { URL(filePath: $0) }
      ?? FileManager.default.homeDirectoryForCurrentUser.appending(path: ".config")
    profiles = folder.appending(path: "madang").appending(path: "profiles")
  }
}
