import ArgumentParser
import MadangOperations

struct AdminWorkspacesAddMember: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add-member", abstract: "Add an account to a workspace.",
    usage: "madang admin workspaces add-member <workspace> <email> [options]",
    discussion: """
      It is as if the owner had invited the account: it joins the default channel, and the quota of members applies. An account \
      that waits for its confirmation or approval cannot be added.
      """)

  @OptionGroup var options: AdminOptions
  @OptionGroup var place: WorkspaceArgument
  @Argument(help: "The account's address.") var email: String

  func run() async throws {
    try await options.withData { try $1.show(try await $0.addMember(email, to: place.name)) }
  }
}
