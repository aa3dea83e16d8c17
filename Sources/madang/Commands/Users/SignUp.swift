import ArgumentParser
import MadangAPI
import MadangClient

struct SignUp: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "signup", abstract: "Create an account and sign in.",
    usage: "madang signup <email> --nickname <name> [options]",
    discussion: "A password needs 8 to 128 characters: an upper-case and a lower-case letter, a digit and a sign.")

  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var secret: PasswordOptions
  @Argument(help: "Your e-mail address.") var email: String
  @Option(help: "The name others see, 1 to 30 characters.") var nickname: String
  @Option(help: "A telephone number.") var phone: String?

  func run() async throws {
    try await connection.withPerson { person in
      let password = try secret.password(twice: true)
      let login = try await person.client.signUp(email: email, password: password, nickname: nickname, phone: phone)
      try person.remember(login)
      try person.show(try await person.client.me())
      person.output.note("Signed up and in.")
    }
  }
}
