import MadangCore

extension Administration {
  /// The usage and quotas of a workspace.
  public func quota(of workspace: WorkspaceName) async throws -> QuotaSummary {
    QuotaSummary(try await madang.usage(of: workspace), madang.settings)
  }

  /// Sets the quotas of a workspace: 0 for any number, nil for the settings' quota.
  public func setQuota(of workspace: WorkspaceName, channels: Int?, members: Int?, fileBytes: Int?) async throws
    -> QuotaSummary
  {
    let quota = WorkspaceQuota(channels: channels, members: members, fileBytes: fileBytes)
    return QuotaSummary(
      try await madang.setQuota(quota, of: workspace, by: administrator), madang.settings)
  }
}

/// What applies to workspaces without values of their own.
public struct WorkspaceDefaults: Encodable, Sendable {
  /// 0 for any number, as the others.
  public let channels: Int
  public let members: Int
  public let fileBytes: Int
  /// 0 for ever, as the other.
  public let chatDays: Int
  public let fileDays: Int
}

extension Administration {
  public var workspaceDefaults: WorkspaceDefaults {
    let settings = madang.settings
    return WorkspaceDefaults(
      channels: settings.quotas.channels, members: settings.quotas.members, fileBytes: settings.quotas.files,
      chatDays: settings.retention.chatDays, fileDays: settings.retention.fileDays)
  }
}

/// The usage and quotas of a workspace.
public struct QuotaSummary: Encodable, Sendable {
  public struct Share: Encodable, Sendable {
    public let used: Int
    /// The effective quota; 0 for any number.
    public let limit: Int
    /// The workspace's own quota; nil if the setting applies.
    public let own: Int?
  }

  public let number: Int64
  public let workspaceID: String
  public let name: String
  public let channels: Share
  public let members: Share
  /// Bytes of the files in its chats.
  public let fileBytes: Share

  enum CodingKeys: String, CodingKey {
    case number
    case workspaceID = "workspace_id"
    case name, channels, members, fileBytes
  }

  init(_ usage: WorkspaceUsage, _ settings: Settings) {
    number = usage.workspace.id.number
    workspaceID = usage.workspace.id.uuid
    name = usage.workspace.name
    let (quota, share) = (
      usage.quota, { (used: Int, own: Int?, limit: Int) in Share(used: used, limit: own ?? limit, own: own) }
    )
    channels = share(usage.channels, quota.channels, settings.quotas.channels)
    members = share(usage.members, quota.members, settings.quotas.members)
    fileBytes = share(usage.fileBytes, quota.fileBytes, settings.quotas.files)
  }
}
