import ArgumentParser
import MadangOperations

struct AdminUsersList: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List accounts, the oldest first.", usage: "madang admin users list [options]")

  @OptionGroup var options: AdminOptions
  @OptionGroup var page: PageOptions

  func run() async throws {
    try await options.withData { administration, output in
      let accounts = try await administration.accounts(after: page.after, limit: page.limit)
      try output.list(
        accounts,
        [
          Column("EMAIL", \.email), Column("NICKNAME", \.nickname), Column("COINS") { "\($0.coins)" },
          Column("SESSIONS") { "\($0.sessions)" }, Column("SINCE") { LocalTime($0.createdAt).day },
          Column("STATE", \.state),
        ], empty: "There are no accounts.")
      page.note(accounts.count, last: accounts.last?.number, output)
    }
  }
}
