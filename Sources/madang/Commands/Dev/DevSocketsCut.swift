import ArgumentParser
import MadangDevelopment

struct DevSocketsCut: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cut", abstract: "End sockets at once, as a network that fails.",
    usage: "madang dev sockets cut [--account <email>] [options]",
    discussion: "Without --account it ends all sockets of the server, or of the world.")

  @OptionGroup var options: DevelopmentOptions
  @OptionGroup var printing: JSONOption
  @Option(help: ArgumentHelp("Only sockets of this person.", valueName: "email")) var account: String?

  func run() async throws {
    let outcome = try await options.server.call(
      CutSockets.self, .delete, options.path("sockets"), query: [("account", account)])
    try printing.output.development(outcome, [("cut", "\(outcome.cut)")])
  }
}
