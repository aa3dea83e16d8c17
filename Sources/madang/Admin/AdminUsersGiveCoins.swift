import ArgumentParser
import MadangOperations

struct AdminUsersGiveCoins: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "give-coins", abstract: "Enter coins in an account's ledger.",
    usage: "madang admin users give-coins <email> <amount> --note <why> [options]")

  @OptionGroup var options: AdminOptions
  @Argument(help: "The account's address.") var email: String
  @Argument(help: "How many coins, 1 to 1000000.") var amount: Int
  @Option(help: ArgumentHelp("The note in the ledger.", valueName: "why")) var note: String

  func run() async throws {
    try await options.withData { try $1.show(try await $0.giveCoins(amount, to: email, note: note)) }
  }
}
