import ArgumentParser
import MadangCore
import MadangOperations

struct AdminWorkspacesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "workspaces", abstract: "Workspaces.",
    subcommands: [
      AdminWorkspacesList.self, AdminWorkspacesMembers.self, AdminWorkspacesAddMember.self,
      AdminWorkspacesRemoveMember.self, AdminWorkspacesHandOver.self, AdminWorkspacesDelete.self,
      AdminWorkspacesRetention.self, AdminWorkspacesQuota.self, AdminWorkspacesHold.self, AdminWorkspacesRelease.self,
    ])
}

/// The workspace that a command acts on.
struct WorkspaceArgument: ParsableArguments {
  @Argument(help: "The workspace's number, id or name.") var workspace: String

  var name: WorkspaceName { WorkspaceName(workspace) }
}

extension Output {
  func show(_ workspace: WorkspaceSummary) throws {
    try object(
      workspace,
      [
        ("name", workspace.name), ("owner", workspace.owner), ("members", "\(workspace.members)"),
        ("channels", "\(workspace.channels)"), ("chats", "\(workspace.chats)"),
        ("chats kept", workspace.chatDays.kept), ("files kept", workspace.fileDays.kept),
        ("on hold since", workspace.heldAt.map { LocalTime($0).day } ?? "not on hold"),
        ("deleted", workspace.deletedAt.map { LocalTime($0).day } ?? "no"),
        ("number", "\(workspace.number)"), ("id", workspace.workspaceID),
      ])
  }
}

extension Int64? {
  /// The retention, in words.
  var kept: String {
    switch self {
    case nil: "as the settings say"
    case 0: "for ever"
    case let days?: "\(days) days"
    }
  }
}
