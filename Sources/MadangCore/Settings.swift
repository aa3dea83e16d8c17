/// What the operator may change about the domain. Durations are milliseconds, sizes bytes.
package struct Settings: Sendable {
  package var signUpCoins = 100
  package var workspacePrice = 10
  package var defaultChannelName = "일반"
  package var defaultChannelDescription = "모든 멤버가 참여하는 기본 채널입니다."
  package var accessTokenLifetime: Int64 = 24 * 3_600_000
  package var refreshTokenLifetime: Int64 = 30 * 24 * 3_600_000
  /// Sessions that one account may have; 0 for any number. With one more, the one that was not refreshed for longest ends.
  package var accountSessions = 100
  /// What the store sells.
  package var storeItems = [
    StoreItem(name: "10 Coin", amount: 100, coins: 10), StoreItem(name: "50 Coin", amount: 500, coins: 50),
    StoreItem(name: "100 Coin", amount: 1000, coins: 100),
  ]
  package var maxFilesPerChat = 5
  /// What chats take besides images.
  package var documentTypes = MediaType.documents
  package var maxFileSize = 10 * 1024 * 1024
  package var maxContentLength = 10_000
  /// How long a replaced picture can still be fetched: clients hold on to paths.
  package var replacedPictureLifetime: Int64 = 24 * 3_600_000
  /// How many whole days a file that no row names stays in the trash.
  package var trashDays = 30
  /// Files removed, or looked up, at a time while tidying up.
  package var filePage = 500
  /// Chats that are read at a time while an administrator looks for a text.
  package var searchPage = 500
  /// Read at a time while a history is sent; memory per history call grows with it, not with the history.
  package var historyPage = HistoryPage()
  /// The same while a list is sent: channels, members, workspaces, direct messages.
  package var listPage = ListPageSize()
  /// Read at a time to find out what is new to sockets.
  package var newsPage = NewsPage()
  /// Whether chats are told to devices.
  package var tellsDevices = false
  /// People whose devices are read at a time while a chat is told to them.
  package var pushPage = 100
  /// Devices of one person that are told of a chat.
  package var pushDevices = 10
  /// What people are called whose account was deleted.
  package var deletedNickname = "알 수 없음"
  /// Whether an account is deleted when the one at Apple or Kakao with which it signs in is.
  package var deletesWithProvider = false
  /// What stands in place of a chat that an administrator took away.
  package var removedChatText = "삭제된 메시지입니다."
  /// How many days chats are kept, in workspaces without a number of their own; 0 for ever.
  package var chatDays = 0
  /// The same of the files of chats.
  package var fileDays = 0
  /// What a chat without text says when its files were too old to be kept.
  package var expiredFilesText = "보관 기간이 지난 파일입니다."
  /// Bytes of all files that one account may have in chats; 0 for any.
  package var accountFileQuota = 0
  /// Where people reach the server, like `https://chat.example.com`, for links to it; empty where that is not known.
  package var publicURL = ""
  /// Workspaces that one account may own; 0 for any number, as the others.
  package var accountWorkspaceQuota = 100
  /// Channels of a workspace without a number of its own.
  package var workspaceChannelQuota = 1000
  /// Members of a workspace without a number of its own.
  package var workspaceMemberQuota = 0
  /// Bytes of all files in the chats of a workspace without a number of its own.
  package var workspaceFileQuota = 0
  /// In how many channels an announcement is posted in a second; 0 for as many as it can.
  package var announcementRate = 10
  /// Whether mails are sent.
  package var sendsMail = false
  /// How many mails may wait to be sent.
  package var mailQueueLimit = 10_000
  /// Mails that one account is sent in a day (UTC); 0 for any number, as the next.
  package var accountMails = 20
  /// Mails that are queued in an hour (UTC).
  package var hourlyMails = 1000
  /// Mails about sign-ins from new places that one account is sent in a day (UTC); 0 for none, and no place is kept then.
  package var signInMails = 5
  /// Places that are remembered of an account, the newest.
  package var signInPlaces = 20
  /// Days after which a place from which nobody has signed in again counts as new.
  package var signInPlaceDays = 90
  /// Addresses of those who are told by mail what is wrong with the installation; empty for nobody.
  package var alarmRecipients: [String] = []
  /// Hours after which they are told once more what is still wrong.
  package var alarmHours = 24
  /// Links for another password that one account is sent in an hour.
  package var passwordResets = 5
  /// Who may make an account, unless an API key says otherwise.
  package var registration = Registration.open
  /// Domains of addresses, in lower case, for ``Registration/domain``.
  package var registrationDomains: Set<String> = []
  /// What an account may do whose owner has not confirmed its address.
  package var confirmation = Confirmation.off
  /// How long the link that confirms an address is good.
  package var confirmationLifetime: Int64 = 24 * 3_600_000
  /// Links to confirm its address that one mailbox is sent in a day.
  package var confirmations = 5
  /// After how many days an account whose address was never confirmed is deleted; 0 for never.
  package var unconfirmedDays = 7
  /// Whether a new account waits for an administrator's approval, unless an API key says otherwise.
  package var needsApproval = false
  /// After how many days an account that nobody approved is deleted; 0 for never.
  package var pendingDays = 30
  /// The address of whoever approves accounts, who is sent a mail when one waits; empty for nobody.
  package var approver = ""
  /// This server's name among several; empty for one alone.
  package var node = ""
  /// The system's name of whoever runs `madang admin`; empty in a server.
  package var administrator = ""
  /// How many days rows of the audit log are kept; 0 for ever.
  package var auditDays = 365
  /// How many rows about failed sign-ins are kept, the newest: strangers cause them.
  package var auditRefusals = 100_000
  package var passwordCost = PasswordCost()
  /// A secret that hashes of places are made with.
  package var placeKey: [UInt8] = []
  /// A secret that chooses, with an address that has no account, what a sign-in with it costs.
  package var decoyKey: [UInt8] = []

  package init() {}
}
