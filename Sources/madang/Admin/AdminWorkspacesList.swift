import ArgumentParser
import MadangOperations

struct AdminWorkspacesList: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List workspaces, the oldest first.",
    usage: "madang admin workspaces list [--find <text>] [options]",
    discussion: "With --find, one call examines up to 50000 workspaces.")

  @OptionGroup var options: AdminOptions
  @OptionGroup var page: PageOptions
  @Option(
    help: ArgumentHelp("Only workspaces with this part of the name or of the owner's address.", valueName: "text"))
  var find = ""

  func run() async throws {
    try await options.withData { administration, output in
      let workspaces = try await administration.workspaces(
        matching: find, after: page.last, limit: page.limit)
      try output.list(
        workspaces.elements,
        [
          Column("NAME", \.name), Column("OWNER", \.owner), Column("MEMBERS") { "\($0.members)" },
          Column("CHANNELS") { "\($0.channels)" }, Column("CHATS") { "\($0.chats)" },
          Column("STATE") { ($0.deletedAt == nil ? "" : "deleted, ") + ($0.heldAt == nil ? "" : "on hold") },
          Column("SINCE") { LocalTime($0.createdAt).day },
        ], empty: find.isEmpty ? "There are no workspaces." : "No workspaces match.")
      page.note(workspaces.next, output)
    }
  }
}
