import MadangAPI

/// What one person's client remembers between commands.
struct Profile: Codable {
  var server: String
  var key: String
  /// The address of the account that signed in last.
  var email: String?
  var tokens: Edition2024_10.Tokens?
  /// The id of the workspace in use.
  var workspace: String?
  /// Per room, the date of the last chat shown: the server keeps no read marks.
  var read: [String: String] = [:]
}
