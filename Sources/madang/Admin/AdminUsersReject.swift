import ArgumentParser
import MadangOperations

struct AdminUsersReject: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reject", abstract: "Delete an account that waits for approval.",
    usage: "madang admin users reject <email> [--yes] [options]",
    discussion: """
      Its address can sign up again, and then waits again. To prevent that, use 'disable', which keeps the account.
      """)

  @OptionGroup var options: AdminOptions
  @OptionGroup var confirmation: ConfirmationOption
  @Argument(help: "The account's address.") var email: String

  func run() async throws {
    try confirmation.confirm("Reject and delete the account \(email)?")
    try await options.withData { try $1.show(try await $0.reject(email)) }
  }
}
