import ArgumentParser
import MadangOperations

struct AdminUsersDisable: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "disable", abstract: "Shut an account out: its sessions end, signing in fails.",
    usage: "madang admin users disable <email> [--yes] [options]",
    discussion: "What it wrote stays, and so do its memberships. 'enable' lets it in again.")

  @OptionGroup var options: AdminOptions
  @OptionGroup var confirmation: ConfirmationOption
  @Argument(help: "The account's address.") var email: String

  func run() async throws {
    try confirmation.confirm("Disable \(email)?")
    try await options.withData { try $1.show(try await $0.disable(email)) }
  }
}
