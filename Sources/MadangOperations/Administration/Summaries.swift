import MadangAPI
import MadangCore

// Data for administrators, with dates in wire format.

/// An account, with the fields that only its owner and administrators see.
public struct AccountSummary: Encodable, Sendable {
  public let number: Int64
  public let userID: String
  public let email: String
  public let nickname: String
  public let coins: Int
  public let sessions: Int
  public let createdAt: String
  /// Nil if the account is enabled.
  public let disabledAt: String?
  /// Nil if the account was not deleted.
  public let deletedAt: String?
  /// Since when it waits for the confirmation of its address; nil if it does not.
  public let unconfirmedAt: String?
  /// Since when it waits for approval; nil if it does not.
  public let pendingAt: String?
  /// When a session was used last, or when the owner last signed in or out; nil if it is not known.
  public let lastSeenAt: String?

  enum CodingKeys: String, CodingKey {
    case number
    case userID = "user_id"
    case email, nickname, coins, sessions, createdAt, disabledAt, deletedAt, unconfirmedAt, pendingAt, lastSeenAt
  }

  init(_ record: AccountRecord) {
    let account = record.account
    number = account.person.id.number
    userID = account.person.id.uuid
    email = account.person.email
    nickname = account.person.nickname
    coins = account.coins
    sessions = record.sessions
    createdAt = WireDate.string(account.createdAt)
    disabledAt = record.disabledAt.map { WireDate.string($0) }
    unconfirmedAt = record.unconfirmedAt.map { WireDate.string($0) }
    pendingAt = record.pendingAt.map { WireDate.string($0) }
    deletedAt = record.deletedAt.map { WireDate.string($0) }
    lastSeenAt = record.lastSeenAt.map { WireDate.string($0) }
  }
}

/// A member of a workspace.
public struct MemberSummary: Encodable, Sendable {
  /// Of the account.
  public let number: Int64
  public let email: String
  public let nickname: String
  public let isOwner: Bool
  public let joinedAt: String

  init(_ record: MemberRecord) {
    number = record.person.id.number
    (email, nickname, isOwner) = (record.person.email, record.person.nickname, record.isOwner)
    joinedAt = WireDate.string(record.joinedAt)
  }
}

public struct WorkspaceSummary: Encodable, Sendable {
  public let number: Int64
  public let workspaceID: String
  public let name: String
  /// The owner's address.
  public let owner: String
  public let members: Int
  public let channels: Int
  /// In its channels and direct messages.
  public let chats: Int
  /// How many days chats are kept: 0 for ever, nil for the setting.
  public let chatDays: Int64?
  /// How many days files are kept: 0 for ever, nil for the setting.
  public let fileDays: Int64?
  /// Since when it is on legal hold; nil if it is not.
  public let heldAt: String?
  /// When its owner deleted it, if it is on hold; nil if it exists.
  public let deletedAt: String?
  public let createdAt: String

  enum CodingKeys: String, CodingKey {
    case number
    case workspaceID = "workspace_id"
    case name, owner, members, channels, chats, chatDays, fileDays, heldAt, deletedAt, createdAt
  }

  init(_ record: WorkspaceRecord) {
    number = record.workspace.id.number
    workspaceID = record.workspace.id.uuid
    name = record.workspace.name
    owner = record.ownerEmail
    members = record.members
    channels = record.channels
    chats = record.chats
    (chatDays, fileDays) = (record.retention.chats.map(Int64.init), record.retention.files.map(Int64.init))
    heldAt = record.heldAt.map { WireDate.string($0) }
    deletedAt = record.deletedAt.map { WireDate.string($0) }
    createdAt = WireDate.string(record.workspace.createdAt)
  }
}

public struct SessionSummary: Encodable, Sendable {
  public let number: Int64
  public let email: String
  public let edition: String
  public let createdAt: String
  /// When it was last renewed.
  public let lastUsedAt: String
  /// The network address of its sign-in; nil if not known.
  public let address: String?
  /// The kind of device of its sign-in, such as `an iPhone`; nil if not known. A client may claim another one.
  public let device: String?

  init(_ record: SessionRecord) {
    number = record.id
    email = record.email
    edition = record.edition
    createdAt = WireDate.string(record.createdAt)
    lastUsedAt = WireDate.string(record.lastUsedAt)
    (address, device) = (record.address, record.device)
  }
}

public struct KeySummary: Encodable, Sendable {
  public let number: Int64
  public let edition: String
  public let label: String
  /// Who may create an account with an application that sends this key: a ``Registration``, or nil for the setting.
  public let registration: String?
  /// Whether such an account waits for approval, `on` or `off`; nil for the setting.
  public let approval: String?
  public let createdAt: String
  /// Nil for a valid key.
  public let revokedAt: String?
  /// Present only right after its creation.
  public let key: String?

  init(_ record: KeyRecord, key: String? = nil) {
    number = record.id
    edition = record.edition
    label = record.label
    registration = record.registration
    approval = record.approval
    createdAt = WireDate.string(record.createdAt)
    revokedAt = record.revokedAt.map { WireDate.string($0) }
    self.key = key
  }
}

/// The totals of a server.
public struct ServerStatistics: Encodable, Sendable {
  public let accounts: Int
  public let disabledAccounts: Int
  public let sessions: Int
  public let workspaces: Int
  public let channels: Int
  public let directMessages: Int
  public let chats: Int
  public let files: Int
  public let fileBytes: Int
  /// Of all accounts together.
  public let coins: Int

  init(_ statistics: Statistics) {
    accounts = statistics.accounts
    disabledAccounts = statistics.disabledAccounts
    sessions = statistics.sessions
    workspaces = statistics.workspaces
    channels = statistics.channels
    directMessages = statistics.directMessages
    chats = statistics.chats
    files = statistics.files
    fileBytes = statistics.fileBytes
    coins = statistics.coins
  }
}

/// The result of a migration: the number of the last migration, zero for none.
public struct SchemaVersions: Encodable, Sendable {
  public let before: Int
  public let version: Int
}
