public struct AccountSettings: Sendable {
  public var deletedName = setting(
    "accounts.deleted.name", "알 수 없음", .text, "name shown for deleted accounts", .live)
  public var deletedWithProvider = setting(
    "accounts.delete.with.provider", false, .flag,
    "whether deleting an Apple or Kakao account also deletes the account here", .live)

  public init() {}
}
