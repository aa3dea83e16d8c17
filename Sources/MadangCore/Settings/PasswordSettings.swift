public struct PasswordSettings: Sendable {
  public var cost = PasswordCost()
  public var resets = setting(
    "password.resets", 5, .integer(1...1000), "password reset links sent to one account in an hour", .live)

  public init() {}
}
