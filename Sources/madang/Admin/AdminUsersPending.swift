import ArgumentParser
import MadangOperations

struct AdminUsersPending: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pending", abstract: "List accounts that wait for approval, the oldest first.",
    usage: "madang admin users pending [options]",
    discussion: "New accounts wait if registration.approval is true, or if their API key requires approval.")

  @OptionGroup var options: AdminOptions
  @OptionGroup var page: PageOptions

  func run() async throws {
    try await options.withData { administration, output in
      let accounts = try await administration.pendingAccounts(after: page.after, limit: page.limit)
      try output.list(
        accounts,
        [
          Column("EMAIL", \.email), Column("NICKNAME", \.nickname), Column("SINCE") { LocalTime($0.createdAt).day },
          Column("ADDRESS") { $0.unconfirmedAt == nil ? "confirmed" : "not confirmed" },
        ], empty: "No account waits for approval.")
      page.note(accounts.count, last: accounts.last?.number, output)
    }
  }
}
