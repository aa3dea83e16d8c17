import ArgumentParser
import MadangOperations

struct AdminUsersEnable: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "enable", abstract: "Let a disabled account sign in again.",
    usage: "madang admin users enable <email> [options]")

  @OptionGroup var options: AdminOptions
  @Argument(help: "The account's address.") var email: String

  func run() async throws {
    try await options.withData { try $1.show(try await $0.enable(email)) }
  }
}
