/// Limits on the mails of the installation.
public struct MailingSettings: Sendable {
  public var queue = setting(
    "mail.queue", 10_000, .integer(1...1_000_000), "mails that may wait; further mails are dropped", .live)
  public var accountDay = setting(
    "mail.account.day", 20, .integer(0...10_000), "mails to one account in a day (UTC); 0 for any number",
    .live)
  public var hour = setting(
    "mail.hour", 1000, .integer(0...1_000_000),
    "mails queued in an hour (UTC), and separately as many about sign-ins; 0 for any number", .live)
  /// With 0, places are not stored either.
  public var signIns = setting(
    "mail.sign.ins", 5, .integer(0...100),
    "mails to one account about sign-ins from new places in a day (UTC); 0 for none", .live)
  public var signInPlaces = setting(
    "mail.sign.ins.places", 20, .integer(1...200), "how many of an account's newest sign-in places are remembered",
    .live)
  public var signInPlaceDays = setting(
    "mail.sign.ins.days", 90, .integer(1...3650), "days after which an unused place counts as new again",
    .live)

  public init() {}
}
