import ArgumentParser
import MadangOperations

struct AdminUsersResetPassword: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reset-password", abstract: "Set a new password for an account and end its sessions.",
    usage: "madang admin users reset-password <email> [options]")

  @OptionGroup var options: AdminOptions
  @OptionGroup var secret: PasswordOptions
  @Flag(help: "Set none; send the account's address a link to choose one.") var mail = false
  @Argument(help: "The account's address.") var email: String

  func validate() throws {
    if mail, secret.passwordStdin || secret.passwordFile != nil {
      throw ValidationError("With --mail the account's owner chooses the password.")
    }
  }

  func run() async throws {
    if mail { return try await options.withData { try $1.show(try await $0.sendPasswordReset(to: email)) } }
    let password = try secret.password(twice: true)
    try await options.withData { try $1.show(try await $0.resetPassword(of: email, to: password)) }
  }
}
