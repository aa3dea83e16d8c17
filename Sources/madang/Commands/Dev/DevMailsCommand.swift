import ArgumentParser
import Foundation
import MadangDevelopment

struct DevMailsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mails", abstract: "Mails that a development server kept instead of sending.",
    usage: "madang dev mails [--to <address>] [--wait <time>] [--link] [options]",
    discussion: """
      A server in development mode keeps the latest 1000 mails instead of sending them. With --wait it returns as soon as there is one. \
      With --link it prints only the link in the newest mail. Exit status 1 \
      if --wait or --link find none.
      """)

  @OptionGroup var options: DevelopmentOptions
  @OptionGroup var printing: JSONOption
  @Option(help: ArgumentHelp("Only mails to this address.", valueName: "address")) var to: String?
  @Option(help: ArgumentHelp("Only mails after this id.", valueName: "id")) var after = 0
  @Option(help: ArgumentHelp("How long to wait for one, up to 60s.", valueName: "time")) var wait: String?
  @Flag(help: "Print the link in the newest one, and nothing else.") var link = false

  /// A mail in the server's answer.
  private struct KeptMail: Codable {
    let id: Int
    let kind: String
    let to: String
    let subject: String
    let body: String
    let at: String

    /// The last link on a line of its own, which is the link that the mail is about; nil if there is none.
    var link: String? {
      body.split(separator: "\n").last { $0.wholeMatch(of: /https?:\/\/[^\s]+/) != nil }.map(String.init)
    }
  }

  func validate() throws {
    if link && printing.json { throw ValidationError("Choose one of --link and --json.") }
    if after < 0 { throw ValidationError("--after must be the id of a mail, a whole number from 0.") }
    if let wait { _ = try WaitTime.read(wait, of: "--wait") }
  }

  func run() async throws {
    let mails = try await options.server.call(
      [KeptMail].self, .get, options.path("mails"), query: [("to", to), ("after", "\(after)"), ("wait", wait)])
    if link {
      guard let link = mails.last?.link else { throw Failure("there is no mail with a link that fits") }
      return try Terminal.line(link.printable)
    }
    try printing.output.developmentList(
      mails,
      [
        Column("ID") { "\($0.id)" }, Column("AT", \.at), Column("TO", \.to), Column("KIND", \.kind),
        Column("SUBJECT", \.subject), Column("LINK") { $0.link ?? "" },
      ], empty: "No mail was sent.")
    if wait != nil, mails.isEmpty { throw ExitCode.failure }
  }
}
