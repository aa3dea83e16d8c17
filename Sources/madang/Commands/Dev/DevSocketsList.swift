import ArgumentParser
import MadangDevelopment

struct DevSocketsList: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the open sockets, the newest first.",
    usage: "madang dev sockets list [--account <email>] [--wait <time>] [options]",
    discussion: """
      With --wait it returns as soon as one is open; with --account as soon as one has joined a room. Exit status 1 if --wait finds none.
      """)

  @OptionGroup var options: DevelopmentOptions
  @OptionGroup var printing: JSONOption
  @Option(help: ArgumentHelp("Only sockets of this person.", valueName: "email")) var account: String?
  @Option(help: ArgumentHelp("How long to wait for one, up to 60s.", valueName: "time")) var wait: String?

  func validate() throws {
    if let wait { _ = try WaitTime.read(wait, of: "--wait") }
  }

  func run() async throws {
    let sockets = try await options.server.call(
      [OpenSocket].self, .get, options.path("sockets"), query: [("account", account), ("wait", wait)])
    try printing.output.developmentList(
      sockets,
      [
        Column("SESSION", \.session), Column("WHO") { $0.account ?? "" }, Column("TRANSPORT", \.transport),
        Column("SINCE", \.since), Column("ROOMS") { $0.namespaces.joined(separator: ", ") },
      ], empty: "No socket is open.")
    if wait != nil, sockets.isEmpty { throw ExitCode.failure }
  }
}
