import MadangAPI
import MadangCore

// Workspaces are named by their number, their id or their name.

extension Administration {
  /// Members of a workspace, in the order of their accounts' numbers.
  /// - Parameter number: Only members after this account; nil for the first page.
  public func members(of workspace: WorkspaceName, after number: Int64? = nil, limit: Int) async throws -> SearchedPage<
    MemberSummary
  > {
    SearchedPage(
      try await madang.members(of: workspace, after: number, limit: limit), MemberSummary.init)
  }

  /// Adds an account to a workspace, as if the owner had invited it.
  public func addMember(_ email: String, to workspace: WorkspaceName) async throws -> WorkspaceSummary {
    WorkspaceSummary(try await madang.addMember(email: email, to: workspace, by: administrator))
  }

  /// Deletes a workspace with its channels, chats and files, unless it is on hold. Returns it as it was.
  public func deleteWorkspace(_ workspace: WorkspaceName) async throws -> WorkspaceSummary {
    WorkspaceSummary(try await madang.deleteWorkspace(workspace, by: administrator))
  }

  /// Removes an account from a workspace; channels it owns there go to the workspace's owner.
  public func removeMember(_ email: String, from workspace: WorkspaceName) async throws -> WorkspaceSummary {
    WorkspaceSummary(try await madang.removeMember(email: email, from: workspace, by: administrator))
  }

  /// Makes a member the owner of a workspace.
  public func handOver(_ workspace: WorkspaceName, to email: String) async throws -> WorkspaceSummary {
    WorkspaceSummary(try await madang.handOverWorkspace(workspace, toEmail: email, by: administrator))
  }

  /// A workspace, also one that was deleted and is on hold.
  public func workspace(_ workspace: WorkspaceName) async throws -> WorkspaceSummary {
    WorkspaceSummary(try await madang.workspaceRecord(workspace))
  }

  /// Sets how many days a workspace keeps chats and files: 0 for ever, nil for the settings' days.
  public func setRetention(of workspace: WorkspaceName, chats: Int64?, files: Int64?) async throws -> WorkspaceSummary {
    WorkspaceSummary(
      try await madang.setRetention(
        RetentionDays(chats: chats.map(Int.init), files: files.map(Int.init)), of: workspace,
        by: administrator))
  }

  /// Puts a workspace on legal hold, or ends it.
  public func setHold(_ isHeld: Bool, of workspace: WorkspaceName) async throws -> WorkspaceSummary {
    WorkspaceSummary(try await madang.setHold(isHeld, of: workspace, by: administrator))
  }

  /// Matching chats, the newest last. The search is recorded in the audit log.
  public func findChats(_ question: ChatQuestion) async throws -> [FoundChatSummary] {
    var search = ChatSearch()
    search.text = question.text
    search.workspace = question.workspace.map { WorkspaceName($0) }
    search.author = question.author
    search.since = question.since ?? .min
    search.limit = question.limit
    return try await madang.findChats(search, by: administrator).map(FoundChatSummary.init)
  }

  /// Removes a chat's text and files.
  /// - Parameter chat: Its number or its id.
  public func removeChat(_ chat: String) async throws {
    try await madang.removeChat(Int64(chat).map(Reference.number) ?? .uuid(chat), by: administrator)
  }
}

/// Selects chats.
public struct ChatQuestion: Sendable {
  /// A part of the text; empty for any.
  public var text = ""
  /// Nil for all.
  public var workspace: String?
  /// The author's address; nil for all.
  public var author: String?
  /// Milliseconds since 1970; nil for any.
  public var since: Int64?
  /// The largest number of chats, the newest.
  public var limit = 100

  public init() {}
}

/// A chat as shown to administrators.
public struct FoundChatSummary: Encodable, Sendable {
  public let number: Int64
  public let chatID: String
  public let workspace: String
  /// The channel's name; nil in direct messages.
  public let channel: String?
  /// The author's address.
  public let author: String
  public let content: String
  /// The number of its files.
  public let files: Int
  public let createdAt: String

  enum CodingKeys: String, CodingKey {
    case number
    case chatID = "chat_id"
    case workspace, channel, author, content, files, createdAt
  }

  init(_ chat: FoundChat) {
    number = chat.id.number
    chatID = chat.id.uuid
    (workspace, channel, author) = (chat.workspace, chat.channel, chat.author)
    (content, files) = (chat.content, chat.files)
    createdAt = WireDate.string(chat.createdAt)
  }
}
