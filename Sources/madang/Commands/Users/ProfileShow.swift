import ArgumentParser
import MadangAPI
import MadangClient

struct ProfileShow: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show your account, or a member's.",
    usage: "madang profile show [<member>] [options]")

  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var place: WorkspaceOption
  @Argument(help: ArgumentHelp("A member of the workspace.", valueName: "@nickname-or-email")) var member: String?

  func run() async throws {
    try await connection.withPerson { person in
      guard let member else { return try person.show(try await person.client.me()) }
      let found = try await person.member(member, of: try await person.workspace(place.workspace))
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
