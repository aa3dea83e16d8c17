import ArgumentParser
import MadangOperations

struct AdminUsersDelete: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete", abstract: "Delete an account for good, and everything about the person.",
    usage: "madang admin users delete <email> [--yes] [options]",
    discussion: """
      Its memberships, sessions, picture, phone and address go, and its coins. What it wrote in rooms stays, without a name; \
      payments and the ledger stay for the books, the audit log for its days. Channels it owned go to the owners of their \
      workspaces; workspaces it owns must be handed over or deleted first. Make an 'export' before: there is no way back.
      """)

  @OptionGroup var options: AdminOptions
  @OptionGroup var confirmation: ConfirmationOption
  @Argument(help: "The account's address.") var email: String

  func run() async throws {
    try confirmation.confirm("Delete the account \(email) for good?")
    try await options.withData { try $1.show(try await $0.deleteAccount(email)) }
  }
}
