import ArgumentParser

struct WorkspaceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "workspace", abstract: "Workspaces: the groups that hold channels and people.",
    subcommands: [
      WorkspaceList.self, WorkspaceUse.self, WorkspaceCreate.self, WorkspaceShow.self, WorkspaceSearch.self,
      WorkspaceMembers.self, WorkspaceInvite.self, WorkspaceEdit.self, WorkspaceTransfer.self, WorkspaceLeave.self,
      WorkspaceDelete.self,
    ])
}
