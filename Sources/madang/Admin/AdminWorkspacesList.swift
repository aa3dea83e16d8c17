import ArgumentParser
import MadangOperations

struct AdminWorkspacesList: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List workspaces, the oldest first.",
    usage: "madang admin workspaces list [options]")

  @OptionGroup var options: AdminOptions
  @OptionGroup var page: PageOptions

  func run() async throws {
    try await options.withData { administration, output in
      let workspaces = try await administration.workspaces(after: page.after, limit: page.limit)
      try output.list(
        workspaces,
        [
          Column("NAME", \.name), Column("OWNER", \.owner), Column("MEMBERS") { "\($0.members)" },
          Column("CHANNELS") { "\($0.channels)" }, Column("CHATS") { "\($0.chats)" },
          Column("STATE") { ($0.deletedAt == nil ? "" : "deleted, ") + ($0.heldAt == nil ? "" : "on hold") },
          Column("SINCE") { LocalTime($0.createdAt).day },
        ], empty: "There are no workspaces.")
      page.note(workspaces.count, last: workspaces.last?.number, output)
    }
  }
}
