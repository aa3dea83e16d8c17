import ArgumentParser
import MadangAPI
import MadangClient

struct WorkspaceInvite: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "invite", abstract: "Add an account to your workspace.",
    usage: "madang workspace invite <email> [options]")

  @OptionGroup var options: WorkspaceOptions
  @Argument(help: "The e-mail address of an account.") var email: String

  func run() async throws {
    try await options.withWorkspace { person, workspace in
      let member = try await person.client.invite(email, to: workspace.workspaceID)
      try person.output.object(
        member, [("nickname", member.nickname), ("email", member.email), ("workspace", workspace.name)])
    }
  }
}
