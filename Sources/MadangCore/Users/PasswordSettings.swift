public struct PasswordSettings: Sendable {
  public var cost = PasswordCost()
  public var resets = setting(
    "password.resets", 5, .integer(1...1000), "links for another password that one account is sent in an hour", .live)

  public init() {}
}
