import ArgumentParser

struct AdminWorkspacesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "workspaces", abstract: "Workspaces.", subcommands: [AdminWorkspacesList.self])
}
