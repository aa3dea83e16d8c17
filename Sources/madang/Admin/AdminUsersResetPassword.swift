import ArgumentParser
import MadangServer

struct AdminUsersResetPassword: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reset-password", abstract: "Give an account another password and end its sessions.",
    usage: "madang admin users reset-password <email> [options]")

  @OptionGroup var options: AdminOptions
  @OptionGroup var secret: PasswordOptions
  @Argument(help: "The account's address.") var email: String

  func run() async throws {
    let password = try secret.password(twice: true)
    try await options.withData { try $1.show(try await $0.resetPassword(of: email, to: password)) }
  }
}
