import ArgumentParser

struct WorkspaceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "workspace", abstract: "Workspaces: the groups that hold channels and people.",
    subcommands: [
      WorkspaceList.self, WorkspaceCreate.self, WorkspaceShow.self, WorkspaceInvite.self, WorkspaceMembers.self,
      WorkspaceUse.self,
    ])
}
