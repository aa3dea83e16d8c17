import ArgumentParser
import MadangOperations

struct AdminInviteList: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List invitations, the oldest first.",
    usage: "madang admin invite list [--open] [options]")

  @OptionGroup var options: AdminOptions
  @OptionGroup var page: PageOptions
  @Flag(help: "Only invitations that can admit a person now.") var open = false

  func run() async throws {
    try await options.withData { administration, output in
      let invitations = try await administration.invitations(
        isOpen: open, after: page.last, limit: page.limit)
      try output.list(
        invitations.elements,
        [
          Column("FOR") { $0.email ?? "a code" }, Column("WORKSPACE") { $0.workspace ?? "" },
          Column("NUMBER") { "\($0.number)" },
          Column("USES LEFT") { "\($0.usesLeft)" }, Column("SINCE") { LocalTime($0.createdAt).day },
          Column("UNTIL", \.state), Column("BY CODE") { $0.codeNumber.map { "\($0)" } ?? "" },
        ], empty: open ? "No invitation is open." : "There are no invitations.")
      page.note(invitations.next, output)
    }
  }
}
