import ArgumentParser
import MadangOperations

struct AdminSessionsList: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List sessions, the oldest first.",
    usage: "madang admin sessions list [--user <email>] [options]")

  @OptionGroup var options: AdminOptions
  @OptionGroup var page: PageOptions
  @Option(help: ArgumentHelp("Only sessions of one account.", valueName: "email")) var user: String?

  func run() async throws {
    try await options.withData { administration, output in
      let sessions = try await administration.sessions(of: user, after: page.after, limit: page.limit)
      try output.list(
        sessions,
        [
          Column("ACCOUNT", \.email), Column("NUMBER") { "\($0.number)" }, Column("EDITION", \.edition),
          Column("SINCE") { LocalTime($0.createdAt).day }, Column("RENEWED") { LocalTime($0.lastUsedAt).day },
        ], empty: "There are no sessions.")
      page.note(sessions.count, last: sessions.last?.number, output)
    }
  }
}
