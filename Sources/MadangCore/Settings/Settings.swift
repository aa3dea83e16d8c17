/// Settings of the domain, by feature. Durations are in milliseconds, sizes in bytes. Operators can set each property that is declared
/// with ``setting(_:_:_:_:_:)``; the others are constants that tests change.
public struct Settings: Sendable {
  public var publicURL = section(
    "Listening",
    setting(
      "public.url", "", .text,
      "https://HOST by which people reach the server; if empty, invitations have no links and no mails are sent"))
  public var node = section(
    "The database", setting("node", "", .text, "this server's name, if several servers share one database"))
  public var passwords = section("Accounts", PasswordSettings())
  public var sessions = section("Accounts", SessionSettings())
  public var registration = section("Accounts", RegistrationSettings())
  public var accounts = section("Accounts", AccountSettings())
  public var audit = section("Accounts", AuditSettings())
  public var files = section("Files", FileSettings())
  public var coins = section("Workspaces", CoinSettings())
  public var workspaces = section("Workspaces", WorkspaceSettings())
  public var quotas = section("Workspaces", QuotaSettings())
  public var retention = section("Workspaces", RetentionSettings())
  /// The most devices of one person that receive a notification; the newest ones.
  public var pushDevices = section(
    "Push, payments and sign-in providers",
    setting("push.devices", 10, .integer(1...1000), "how many of a person's newest devices get notifications", .live))
  public var mailing = section("Mail", MailingSettings())
  public var alarms = section("Alarms", AlarmSettings())
  /// Empty: none.
  public var appLink = section(
    "Pages",
    setting(
      "app.link", "", .appLink,
      "where invited people get the app, or open it: https://HOST/PATH or SCHEME://...; empty for no link on pages"))
  package var face = Face()
  package var administrators = AdministratorSettings()

  package var maxContentLength = Self.maxContentLength
  package static let maxContentLength = 10_000
  /// Files removed, or looked up, at a time while tidying up.
  package var filePage = 500
  /// Rows that are read at a time while an administrator looks for a text.
  package var searchPage = 500
  /// Rows that one call of an administrator's search examines. Chats are searched to the end.
  package var searchLimit = 50_000
  /// Read at a time while a history is sent; memory per history call grows with it, not with the history.
  package var historyPage = HistoryPage()
  /// The same while a list is sent: channels, members, workspaces, direct messages.
  package var listPage = ListPageSize()
  /// Read at a time to find out what is new to sockets.
  package var newsPage = NewsPage()
  /// People whose devices are read at a time when a chat is pushed.
  package var pushPage = 100
  /// Whether chats are pushed to devices.
  package var pushesChats = false
  /// Whether mails are sent.
  package var sendsMail = false
  /// A secret that hashes of places are made with.
  package var placeKey: [UInt8] = []
  /// A secret that chooses, with an address that has no account, what a sign-in with it costs.
  package var decoyKey: [UInt8] = []
  /// A secret that seals the second steps of administrators; empty if the database has the installation's secret anyway.
  package var stepKey: [UInt8] = []
  /// The same for private keys of certificates and accounts.
  package var certificateKey: [UInt8] = []

  public init() {}
}

extension Settings {
  /// The URL of a page, with a code if one is given.
  package func link(to page: LinkPage, _ code: LinkCode? = nil) -> String {
    "\(publicURL)/\(page.rawValue)" + (code.map { "/\($0.text)" } ?? "")
  }
}
