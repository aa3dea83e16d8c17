import ArgumentParser
import MadangOperations

struct AdminInviteList: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List invitations, the oldest first.",
    usage: "madang admin invite list [options]")

  @OptionGroup var options: AdminOptions
  @OptionGroup var page: PageOptions

  func run() async throws {
    try await options.withData { administration, output in
      let invitations = try await administration.invitations(after: page.after, limit: page.limit)
      try output.list(
        invitations,
        [
          Column("FOR") { $0.email ?? "a code" }, Column("NUMBER") { "\($0.number)" },
          Column("USES LEFT") { "\($0.usesLeft)" }, Column("SINCE") { LocalTime($0.createdAt).day },
          Column("UNTIL", \.state), Column("BY CODE") { $0.codeNumber.map { "\($0)" } ?? "" },
        ], empty: "There are no invitations.")
      page.note(invitations.count, last: invitations.last?.number, output)
    }
  }
}
