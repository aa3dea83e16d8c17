/// The two tokens of a session, the same in all editions.
public struct SessionTokens: Codable, Hashable, Sendable {
  public var accessToken: String
  public var refreshToken: String

  public init(accessToken: String, refreshToken: String) {
    self.accessToken = accessToken
    self.refreshToken = refreshToken
  }
}

/// The answer to a refresh, the same in all editions. It has exactly one key, because some clients store the first value of the object.
public struct RefreshedToken: Codable, Hashable, Sendable {
  public var accessToken: String

  public init(accessToken: String) {
    self.accessToken = accessToken
  }
}
