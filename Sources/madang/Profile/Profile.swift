import MadangAPI

/// What the client of one person remembers between commands.
struct Profile: Codable {
  var server: String
  var key: String
  /// The address of the last account that signed in.
  var email: String?
  var tokens: Edition2024_10.Tokens?
  /// The id of the workspace in use.
  var workspace: String?
  /// The date of the last chat shown in each room, because the server stores no read marks.
  var read: [String: String] = [:]
}
