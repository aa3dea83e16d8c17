import MadangCore

// What the operator may change about the domain. Durations are milliseconds, sizes bytes.

extension ServerSettings {
  /// KiB that hashing a password takes, with Argon2id.
  public var passwordMemory: Int {
    get { domain.passwordCost.memory }
    set { domain.passwordCost.memory = newValue }
  }

  /// How often hashing a password passes over that memory.
  public var passwordPasses: Int {
    get { domain.passwordCost.passes }
    set { domain.passwordCost.passes = newValue }
  }

  /// Coins of a new account.
  public var signUpCoins: Int {
    get { domain.signUpCoins }
    set { domain.signUpCoins = newValue }
  }

  /// Coins that making a workspace costs.
  public var workspacePrice: Int {
    get { domain.workspacePrice }
    set { domain.workspacePrice = newValue }
  }

  /// The name of the channel that new workspaces come with.
  public var defaultChannelName: String {
    get { domain.defaultChannelName }
    set { domain.defaultChannelName = newValue }
  }

  /// Sessions that one account may have; 0 for any number.
  public var accountSessions: Int {
    get { domain.accountSessions }
    set { domain.accountSessions = newValue }
  }

  public var accessTokenLifetime: Int64 {
    get { domain.accessTokenLifetime }
    set { domain.accessTokenLifetime = newValue }
  }

  public var refreshTokenLifetime: Int64 {
    get { domain.refreshTokenLifetime }
    set { domain.refreshTokenLifetime = newValue }
  }

  public var maxFileSize: Int {
    get { domain.maxFileSize }
    set { domain.maxFileSize = newValue }
  }

  /// The extensions of what chats take besides images.
  public var documentTypes: Set<String> {
    get { Set(domain.documentTypes.map(\.fileExtension)) }
    set { domain.documentTypes = Set(newValue.compactMap { MediaType(fileExtension: $0) }) }
  }

  /// All that ``documentTypes`` may have.
  public static var knownDocumentTypes: [String] { MediaType.allCases.filter { !$0.isImage }.map(\.fileExtension) }

  public var maxFilesPerChat: Int {
    get { domain.maxFilesPerChat }
    set { domain.maxFilesPerChat = newValue }
  }

  /// Devices of one person that are told of a chat: the newest.
  public var pushDevices: Int {
    get { domain.pushDevices }
    set { domain.pushDevices = newValue }
  }

  /// Where people reach the server, like `https://chat.example.com`, for links to it; empty where that is not known.
  public var publicURL: String {
    get { domain.publicURL }
    set { domain.publicURL = newValue }
  }

  /// Links for another password that one account is sent in an hour.
  public var passwordResets: Int {
    get { domain.passwordResets }
    set { domain.passwordResets = newValue }
  }

  /// How many mails may wait to be sent.
  public var mailQueueLimit: Int {
    get { domain.mailQueueLimit }
    set { domain.mailQueueLimit = newValue }
  }

  /// Mails that one account is sent in a day (UTC); 0 for any number, as the next.
  public var accountMails: Int {
    get { domain.accountMails }
    set { domain.accountMails = newValue }
  }

  /// Mails that are queued in an hour (UTC).
  public var hourlyMails: Int {
    get { domain.hourlyMails }
    set { domain.hourlyMails = newValue }
  }

  /// Mails about sign-ins from new places that one account is sent in a day (UTC); 0 for none.
  public var signInMails: Int {
    get { domain.signInMails }
    set { domain.signInMails = newValue }
  }

  /// Places from which it signs in that are remembered of an account, the newest.
  public var signInPlaces: Int {
    get { domain.signInPlaces }
    set { domain.signInPlaces = newValue }
  }

  /// Days after which a place from which nobody has signed in again counts as new.
  public var signInPlaceDays: Int {
    get { domain.signInPlaceDays }
    set { domain.signInPlaceDays = newValue }
  }

  /// How long a replaced picture can still be fetched.
  public var replacedPictureLifetime: Int64 {
    get { domain.replacedPictureLifetime }
    set { domain.replacedPictureLifetime = newValue }
  }

  /// How many whole days a file that no row names stays in the trash before it is removed.
  public var trashDays: Int {
    get { domain.trashDays }
    set { domain.trashDays = newValue }
  }

  /// How many days rows of the audit log are kept; 0 for ever.
  public var auditDays: Int {
    get { domain.auditDays }
    set { domain.auditDays = newValue }
  }

  /// How many rows about failed sign-ins the audit log keeps, the newest.
  public var auditRefusals: Int {
    get { domain.auditRefusals }
    set { domain.auditRefusals = newValue }
  }

  /// How many days chats are kept, in workspaces without a number of their own; 0 for ever.
  public var chatDays: Int {
    get { domain.chatDays }
    set { domain.chatDays = newValue }
  }

  /// The same of the files of chats.
  public var fileDays: Int {
    get { domain.fileDays }
    set { domain.fileDays = newValue }
  }

  /// What a chat without text says when its files were too old to be kept.
  public var expiredFilesText: String {
    get { domain.expiredFilesText }
    set { domain.expiredFilesText = newValue }
  }

  /// What stands in place of a chat that an administrator took away.
  public var removedChatText: String {
    get { domain.removedChatText }
    set { domain.removedChatText = newValue }
  }

  /// Whether an account is deleted when the one at Apple or Kakao with which it signs in is.
  public var deletesWithProvider: Bool {
    get { domain.deletesWithProvider }
    set { domain.deletesWithProvider = newValue }
  }

  /// What people are called whose account was deleted.
  public var deletedNickname: String {
    get { domain.deletedNickname }
    set { domain.deletedNickname = newValue }
  }

  /// Bytes of all files that one account may have in chats; 0 for any.
  public var accountFileQuota: Int {
    get { domain.accountFileQuota }
    set { domain.accountFileQuota = newValue }
  }

  /// Workspaces that one account may own; 0 for any number, as the others.
  public var accountWorkspaceQuota: Int {
    get { domain.accountWorkspaceQuota }
    set { domain.accountWorkspaceQuota = newValue }
  }

  /// Channels of a workspace without a number of its own.
  public var workspaceChannelQuota: Int {
    get { domain.workspaceChannelQuota }
    set { domain.workspaceChannelQuota = newValue }
  }

  /// Members of a workspace without a number of its own.
  public var workspaceMemberQuota: Int {
    get { domain.workspaceMemberQuota }
    set { domain.workspaceMemberQuota = newValue }
  }

  /// Bytes of all files in the chats of a workspace without a number of its own.
  public var workspaceFileQuota: Int {
    get { domain.workspaceFileQuota }
    set { domain.workspaceFileQuota = newValue }
  }

  /// In how many channels an announcement is posted in a second; 0 for as many as it can.
  public var announcementRate: Int {
    get { domain.announcementRate }
    set { domain.announcementRate = newValue }
  }

  /// What the store sells: `NAME:WON:COINS`, separated by commas.
  public var storeItems: String {
    domain.storeItems.map { "\($0.name):\($0.amount):\($0.coins)" }.joined(separator: ",")
  }

  /// Sets what the store sells, in the form of ``storeItems``. False, changing nothing, if it cannot be read or two
  /// items have one price: a payment's amount tells which it bought.
  public mutating func setStoreItems(_ text: String) -> Bool {
    let items = text.split(separator: ",").map { item -> StoreItem? in
      let parts = item.split(separator: ":").map(String.init)
      guard parts.count == 3, let amount = Int(parts[1]), let coins = Int(parts[2]), amount > 0, coins > 0 else {
        return nil
      }
      return StoreItem(name: parts[0], amount: amount, coins: coins)
    }
    guard !items.contains(nil), Set(items.compactMap(\.?.amount)).count == items.count else { return false }
    domain.storeItems = items.compactMap(\.self)
    return true
  }
}
