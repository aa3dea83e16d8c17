/// Limits on the mails of the installation.
public struct MailingSettings: Sendable {
  public var queue = setting(
    "mail.queue", 10_000, .integer(1...1_000_000), "mails that may wait; more are not sent", .live)
  public var accountDay = setting(
    "mail.account.day", 20, .integer(0...10_000), "mails that one account is sent in a day (UTC); 0 for any number",
    .live)
  public var hour = setting(
    "mail.hour", 1000, .integer(0...1_000_000),
    "mails that are queued in an hour (UTC), and as many about sign-ins; 0 for any number", .live)
  /// With 0, places are not stored either.
  public var signIns = setting(
    "mail.sign.ins", 5, .integer(0...100),
    "mails about sign-ins from new places that one account is sent in a day (UTC); 0 for none", .live)
  public var signInPlaces = setting(
    "mail.sign.ins.places", 20, .integer(1...200), "places that are remembered of an account, the newest", .live)
  public var signInPlaceDays = setting(
    "mail.sign.ins.days", 90, .integer(1...3650), "days after which a place that was not used again counts as new",
    .live)

  public init() {}
}
