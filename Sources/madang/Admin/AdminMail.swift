import ArgumentParser
import MadangOperations

struct AdminMail: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mail", abstract: "Send a test mail.",
    usage: "madang admin mail <address> [options]",
    discussion: "It waits in the database until a server sends it. The server's log and metrics show the outcome."
  )

  @OptionGroup var options: AdminOptions
  @Argument(help: "To whom.") var address: String

  func run() async throws {
    try await options.withData { administration, output in
      let mail = try await administration.sendTestMail(to: address)
      try output.object(mail, [("to", mail.to)])
      output.note(
        "The mail waits for a running server, which sends it within seconds; its log shows if the mail server refuses it."
      )
    }
  }
}
