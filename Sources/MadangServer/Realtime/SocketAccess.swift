/// Who may connect to a room's namespace (contract section 13.3).
public enum SocketAccess: String, Sendable, CaseIterable {
  /// Key and access token are valid and the account may read the room.
  case token
  /// As `token` if a token is shown; else an account that may read the room was seen at the same address lately.
  case recent
  /// Everybody, if the room exists. For local development.
  case open
}
