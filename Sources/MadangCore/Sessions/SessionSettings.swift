public struct SessionSettings: Sendable {
  public var perAccount = setting(
    "sessions.account", 100, .integer(),
    "sessions that one account may have; with one more, the one not refreshed for longest ends; 0 for any number",
    .live)
  public var accessLifetime: Int64 = setting(
    "tokens.access", 24 * 3_600_000, .seconds, "seconds an access token lives")
  public var refreshLifetime: Int64 = setting(
    "tokens.refresh", 30 * 24 * 3_600_000, .seconds, "seconds a refresh token lives")

  public init() {}
}
