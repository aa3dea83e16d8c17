import Foundation

/// What the client commands read from the environment, at one place.
struct Environment {
  let server: String?
  let key: String?
  /// Where the profile is kept.
  let profile: URL
  let wantsColour: Bool

  static let current = Environment(ProcessInfo.processInfo.environment)

  private init(_ variables: [String: String]) {
    func value(_ name: String) -> String? { variables[name].flatMap { $0.isEmpty ? nil : $0 } }
    server = value("MADANG_SERVER")
    key = value("MADANG_KEY")
    wantsColour = value("NO_COLOR") == nil
    if let path = value("MADANG_PROFILE") {
      profile = URL(filePath: path)
    } else {
      let folder =
        value("XDG_CONFIG_HOME").map { URL(filePath: $0) }
        ?? FileManager.default.homeDirectoryForCurrentUser.appending(path: ".config")
      profile = folder.appending(path: "madang").appending(path: "profile.json")
    }
  }
}
