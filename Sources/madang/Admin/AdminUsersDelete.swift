import ArgumentParser
import MadangOperations

struct AdminUsersDelete: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete", abstract: "Delete an account for ever, and everything about the person.",
    usage: "madang admin users delete <email> [--yes] [options]",
    discussion: """
      Its memberships, sessions, picture, phone, address and coins are deleted. Its chats in rooms stay, without a name; \
      payments and the ledger stay for accounting, entries of the audit log for audit.days. Its channels go to the owners of their \
      workspaces; its workspaces must be handed over or deleted first. Make an 'export' before: this cannot be undone.
      """)

  @OptionGroup var options: AdminOptions
  @OptionGroup var confirmation: ConfirmationOption
  @Argument(help: "The account's address.") var email: String

  func run() async throws {
    try confirmation.confirm("Delete the account \(email) for ever?")
    try await options.withData { try $1.show(try await $0.deleteAccount(email)) }
  }
}
