import ArgumentParser
import MadangOperations

struct AdminWorkspacesQuota: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "quota", abstract: "Show or set the quotas of a workspace.",
    usage: "madang admin workspaces quota <workspace> [options]",
    discussion: """
      Without numbers, shows its usage and quotas. A lower quota deletes nothing. With --default the workspace goes \
      by the settings quota.channels, quota.members and quota.files again.
      """)

  @OptionGroup var options: AdminOptions
  @OptionGroup var place: WorkspaceArgument
  @Option(help: ArgumentHelp("Quota of channels; 0 for any number.", valueName: "number")) var channels: Int?
  @Option(help: ArgumentHelp("Quota of members; 0 for any number.", valueName: "number")) var members: Int?
  @Option(help: ArgumentHelp("Quota of bytes of files in its chats; 0 for no limit.", valueName: "bytes"))
  var fileBytes: Int?
  @Flag(name: .customLong("default"), help: "Use the quotas of the settings again.") var goesByDefault = false

  func validate() throws {
    let numbers = [channels, members, fileBytes].compactMap(\.self)
    if numbers.contains(where: { $0 < 0 }) { throw ValidationError("A quota is 0, for any number, or more.") }
    if goesByDefault, !numbers.isEmpty { throw ValidationError("Give numbers, or --default, not both.") }
  }

  func run() async throws {
    try await options.withData { administration, output in
      let now = try await administration.quota(of: place.name)
      guard goesByDefault || channels != nil || members != nil || fileBytes != nil else { return try show(now, output) }
      let quota = try await administration.setQuota(
        of: place.name, channels: goesByDefault ? nil : channels ?? now.channels.own,
        members: goesByDefault ? nil : members ?? now.members.own,
        fileBytes: goesByDefault ? nil : fileBytes ?? now.fileBytes.own)
      try show(quota, output)
    }
  }

  private func show(_ quota: QuotaSummary, _ output: Output) throws {
    try output.object(
      quota,
      [
        ("name", quota.name), ("channels", quota.channels.words), ("members", quota.members.words),
        ("bytes of files", quota.fileBytes.words), ("number", "\(quota.number)"), ("id", quota.workspaceID),
      ])
  }
}

extension QuotaSummary.Share {
  /// Usage and quotas, in words.
  fileprivate var words: String {
    "\(used) of \(limit == 0 ? "any number" : "\(limit)")" + (own == nil ? " (settings)" : "")
  }
}
