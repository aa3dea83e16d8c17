public struct SessionSettings: Sendable {
  public var perAccount = setting(
    "sessions.account", 100, .integer(),
    "sessions of one account; one more ends the session that was refreshed longest ago; 0 for any number",
    .live)
  public var accessLifetime: Int64 = setting(
    "tokens.access", 24 * 3_600_000, .seconds, "seconds an access token is valid")
  public var refreshLifetime: Int64 = setting(
    "tokens.refresh", 30 * 24 * 3_600_000, .seconds, "seconds a refresh token is valid")

  public init() {}
}
