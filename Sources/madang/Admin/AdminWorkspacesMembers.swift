import ArgumentParser
import MadangOperations

struct AdminWorkspacesMembers: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "members", abstract: "List the members of a workspace, by the numbers of their accounts.",
    usage: "madang admin workspaces members <workspace> [options]")

  @OptionGroup var options: AdminOptions
  @OptionGroup var page: PageOptions
  @OptionGroup var place: WorkspaceArgument

  func run() async throws {
    try await options.withData { administration, output in
      let members = try await administration.members(of: place.name, after: page.last, limit: page.limit)
      try output.list(
        members.elements,
        [
          Column("EMAIL", \.email), Column("NICKNAME", \.nickname), Column("NUMBER") { "\($0.number)" },
          Column("ROLE") { $0.isOwner ? "owner" : "" }, Column("SINCE") { LocalTime($0.joinedAt).day },
        ], empty: "The workspace has no members.")
      page.note(members.next, output)
    }
  }
}
