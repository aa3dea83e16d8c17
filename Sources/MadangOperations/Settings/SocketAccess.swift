/// Who may connect to a room's namespace (wire contract, Socket access). Each level also admits all that the levels before it admit.
public enum SocketAccess: String, Sendable, CaseIterable {
  /// Key and access token are valid and the account may read the room.
  case token
  /// The socket cookie, which stands for a session whose account may read the room.
  case cookie
  /// Exactly one account was recently seen at the same address, and it may read the room.
  case recent
  /// Any client, if the room exists. For local development.
  case open
}
