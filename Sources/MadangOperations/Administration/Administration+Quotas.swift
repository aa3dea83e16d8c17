import MadangCore

extension Administration {
  /// The usage and quotas of a workspace.
  public func quota(of workspace: String) async throws -> QuotaSummary {
    QuotaSummary(try await madang.usage(of: WorkspaceName(workspace)), madang.settings)
  }

  /// Sets the quotas of a workspace: 0 for any number, nil for the settings' quota.
  public func setQuota(of workspace: String, channels: Int?, members: Int?, fileBytes: Int?) async throws
    -> QuotaSummary
  {
    let quota = WorkspaceQuota(channels: channels, members: members, fileBytes: fileBytes)
    return QuotaSummary(
      try await madang.setQuota(quota, of: WorkspaceName(workspace), by: administrator), madang.settings)
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
