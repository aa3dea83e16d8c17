import ArgumentParser
import MadangOperations

struct AdminUsersConfirm: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "confirm", abstract: "Mark an account's address as confirmed.",
    usage: "madang admin users confirm <email> [options]",
    discussion: "For a person whom no mail reaches. Make sure that the address is theirs.")

  @OptionGroup var options: AdminOptions
  @Argument(help: "The account's address.") var email: String

  func run() async throws {
    try await options.withData { try $1.show(try await $0.confirmAddress(of: email)) }
  }
}
