import ArgumentParser
import MadangOperations

struct AdminUsersList: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List accounts, the oldest first.",
    usage: "madang admin users list [--find <text>] [--state <state>] [options]",
    discussion: """
      With --find or --state, one call examines up to 50000 accounts. States: \
      \(AccountStateName.allCases.map(\.rawValue).joined(separator: ", ")).
      """)

  @OptionGroup var options: AdminOptions
  @OptionGroup var page: PageOptions
  @Option(help: ArgumentHelp("Only accounts with this part of the address or nickname.", valueName: "text"))
  var find = ""
  @Option(help: ArgumentHelp("Only accounts in this state.", valueName: "state")) var state: AccountStateName?

  func run() async throws {
    try await options.withData { administration, output in
      let accounts = try await administration.accounts(
        matching: find, state: state, after: page.last, limit: page.limit)
      try output.list(
        accounts.elements,
        [
          Column("EMAIL", \.email), Column("NICKNAME", \.nickname), Column("COINS") { "\($0.coins)" },
          Column("SESSIONS") { "\($0.sessions)" }, Column("SINCE") { LocalTime($0.createdAt).day },
          Column("STATE", \.state),
        ], empty: find.isEmpty && state == nil ? "There are no accounts." : "No accounts match.")
      page.note(accounts.next, output)
    }
  }
}

extension AccountStateName: ExpressibleByArgument {}
