import ArgumentParser
import MadangAPI
import MadangClient

struct LogIn: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "login", abstract: "Sign in and keep the session in the profile.",
    usage: "madang login <email> [options]")

  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var secret: PasswordOptions
  @Argument(help: "Your e-mail address.") var email: String

  func run() async throws {
    try await connection.withPerson { person in
      let login = try await person.client.signIn(email: email, password: try secret.password(twice: false))
      try person.remember(login)
      try person.show(try await person.client.me())
      person.output.note("Signed in.")
    }
  }
}
