import ArgumentParser
import MadangOperations

struct AdminUsersDisable: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "disable", abstract: "Disable an account: its sessions end, signing in fails.",
    usage: "madang admin users disable <email> [--yes] [options]",
    discussion: "Its chats and memberships stay. 'enable' reverses it.")

  @OptionGroup var options: AdminOptions
  @OptionGroup var confirmation: ConfirmationOption
  @Argument(help: "The account's address.") var email: String

  func run() async throws {
    try confirmation.confirm("Disable \(email)?")
    try await options.withData { try $1.show(try await $0.disable(email)) }
  }
}
