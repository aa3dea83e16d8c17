import ArgumentParser
import MadangAPI
import MadangClient

struct ProfileShow: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show your account, or a member's.",
    usage: "madang profile show [<member>] [options]")

  @OptionGroup var options: WorkspaceOptions
  @Argument(help: ArgumentHelp("A member of the workspace.", valueName: "@nickname-or-email")) var member: String?

  func run() async throws {
    guard let member else {
      return try await options.connection.withPerson { try $0.show(try await $0.client.me()) }
    }
    try await options.withWorkspace { person, workspace in
      let found = try await person.member(member, of: workspace)
      let other = try await person.client.user(found.userID)
      try person.output.object(
        other,
        [
          ("nickname", other.nickname), ("email", other.email), ("picture", other.profileImage ?? ""),
          ("id", other.userID),
        ])
    }
  }
}
