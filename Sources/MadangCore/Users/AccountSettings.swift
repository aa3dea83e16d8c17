public struct AccountSettings: Sendable {
  public var deletedName = setting(
    "accounts.deleted.name", "알 수 없음", .text, "what people are called whose account was deleted", .live)
  public var deletedWithProvider = setting(
    "accounts.delete.with.provider", false, .flag,
    "whether accounts are deleted with those at Apple or Kakao they sign in with", .live)

  public init() {}
}
